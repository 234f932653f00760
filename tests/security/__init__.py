"""Who may do what on a real API server: Roles and admission policies of `deploy/`, tried with each account's token.

`installed` puts them onto a control plane. What is refused is refused by the API server, in words that say what is
allowed; what each process must do is tried with the same accounts.
"""
