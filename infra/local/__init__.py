"""The local stack: the deployed product on a desk, without a container engine."""
