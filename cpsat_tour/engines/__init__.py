"""The protocols of a backend, the registry, the runner, enumeration, and `auto`."""
