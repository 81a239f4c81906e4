"""What an operator does by hand, from the command line, on the store of a server that runs.

    command     what all these commands share: where the store is, which room is meant, how they fail
    printing    and how they show what they found
    finding     the rooms that are kept, each as its log and its presence tell
    listing     `rooms`
    inspecting  `inspect`, `tail` (ear: hears that a log goes on)
    hand        what changes rooms: the part of a node that judges and writes
    ordering    `kick`, `close`
    moving      `export`, `import`
    nodes       `nodes`, `announce`, `drain`
    checking    `check`
    witnessing  `evidence`
    reporting   `reports`

What the page at /admin shows and does comes from here, too (tenmatch.app.admin).
"""
