"""What travels between server and clients, and what is stored: types and bytes, without a socket.

    schema        JSON Schemas of all that is said, from its types, with a line for each field (glossary)
    asyncapi      the wire as an AsyncAPI 3 document (asyncapi.json)
    openapi       what is had over HTTP as an OpenAPI 3.1 document (openapi.json)
    limits        sizes, close codes, error codes, and the two ways a peer can be wrong
    from_client   what a client may say
    to_client     what the server says
    codec         both codecs: frames to messages and back
    stored        entries of a room's log, and the chain through them
    viewers       who may see what of a room: state, events, line in a list
    telling       the message that tells of an event
    phrases       what can be said by its key
    report        what one player reports of another
    record        a finished game as JSON, from its log
    tournaments   what is told of a tournament
    pages         what is had over HTTP: the maps inside its answers
    verifier      is what a record says so?

The contract in words, with a recorded frame of each message, is server/protocol.md.
"""
