"""`tenmatch load`: many rooms played at once against a server, each verdict and board checked.

Processes of their own (`worker`) play: parties of two (`race`) and galleries of watchers (`gallery`), each
of them `member`s with a `wire`. `crew` starts and hears the processes, `command` shows what they say.
"""
