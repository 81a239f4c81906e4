from tests.gateway.conftest import patience, shared_server, url

__all__ = ["patience", "shared_server", "url"]
