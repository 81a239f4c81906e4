"""What Number Match is: pure functions from values to values.

The rules that these modules cite by number stand in server/rules.md.

Read in this order:

    board      the slots, the ids of the numbers, what a match and an Add do        rules 1-11
    lines      the four families of lines, which connect two cells                  before rule 5
    judge      may this pair be matched, and if not, why; which pairs are left      before rule 5
    score      points
    deal       from a seed to a board                                               rules 12, 13
    notation   the board as text, and back
"""
