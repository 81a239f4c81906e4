"""The operators' page at /admin, where a token for it is set.

    access    who may: whoever has the token, or the cookie that it was exchanged for
    answers   what the page asks for, and what it may tell the server to do

The page itself is client_demo/web/admin/.
"""
