"""Results as pages: one to mail (`unquilt report`), and those that a local server shows (`unquilt serve`).

    application   which address shows which view
    views/        one file for each kind of result
    workspace     what all views share
    run_list      the runs that are shown
    findings      what was found in a run, in the words of the report and of the terminal
    links         where the cells of rows lead
    listing       some rows of a table, as an address asks for them
    exporting     rows as a file that a browser saves
    marked        a text with its passages marked, as HTML
    figures       scatter and dot plots
    guarding      who may ask, and what browsers may do
    turns         how many requests are worked on, and how long
    server        the server, on this machine alone
    report/       the report

`templates` and `static` say how it looks. All that comes from documents (texts, ids, URLs, hosts) is hostile: templates
escape everything, `marked` escapes what it marks, nothing is loaded from elsewhere, and no address contains more of a
document than its number.
"""
