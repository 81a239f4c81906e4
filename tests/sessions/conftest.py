from tests.gateway.conftest import shared_server, url

__all__ = ["shared_server", "url"]
