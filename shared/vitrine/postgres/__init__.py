"""PostgreSQL as an engine: conditions become one statement over a visible view.

A source's view ``vitrine.<source>`` has ``id``, ``tenant``, ``occurred_at`` and
``tsv`` beside its fields. Where a source has them, these views stand beside it:

    _numbers  (field, num, id)                  numbers and dates of ``meta``
    _terms    (field, id, language, label, norm)  the vocabulary, visible terms alone
    _roles    (id, role_key)                    roles and tags of linked contacts
    _names    (id, names)                       names of linked contacts

A colour column ``c`` with many values has its cells in ``c_cells``.
"""
