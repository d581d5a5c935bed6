"""The independent checker of certificates; it imports core and spaces alone."""
