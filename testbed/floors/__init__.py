"""How good the product must stay on pages whose content is known: ``python -m testbed.floors``."""
