/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The devices of the page, and the versions of everything.
 */
#include <inttypes.h>
#include <string.h>

#include "facts/key.h"
#include "output/html_parts.h"

static void device(const struct page *p, const struct device *d, size_t number)
{
    struct link *hop;
    uint64_t kb_per_s = device_path_kb_per_s(d, &hop);
    char nodes[128], payload[32] = "";

    markup(p->out, "<tr id=\"d%zu\"><th scope=\"row\">%s</th><td>%s</td><td>%s%s%s</td><td>%s</td>",
           number, d->hctl, words_nodes(d, true, nodes, sizeof(nodes)), d->vendor,
           d->vendor && d->model ? " " : "", d->model, d->revision);
    markup(p->out, "<td>%s</td><td>%s</td><td>%s</td><td>", d->serial, d->type,
           fact_text(d->subject, &KEY_STATE));
    if (d->link)
        html_reference(p, d->link->id, d->link->kernel_name);
    else
        markup_text(d->host ? d->host->kernel_name : "", p->out);
    words_payload(kb_per_s, payload, sizeof(payload));
    markup(p->out, "</td><td class=\"r\">%s</td><td>", kb_per_s ? payload : "not known");
    if (hop)
        html_reference(p, hop->id, hop->kernel_name);
    fputs("</td><td>", p->out);
    for (size_t i = 0; i < d->users.n; i++)
        markup(p->out, "%s%s", i ? "; " : "", d->users.v[i]);
    fputs("</td></tr>\n", p->out);
}

int html_devices(struct page *p)
{
    const struct model *m = p->report->model;

    fputs("<section aria-labelledby=\"devices\">\n<h2 id=\"devices\">Devices</h2>\n", p->out);
    html_fold_begin(p, m->devices.n, true);
    markup(p->out, "%zu device%s", m->devices.n, m->devices.n == 1 ? "" : "s");
    html_fold_body(p);
    fputs("<table><thead><tr><th scope=\"col\">H:C:T:L</th><th scope=\"col\">Nodes</th>"
          "<th scope=\"col\">Model</th><th scope=\"col\">Revision</th><th scope=\"col\">Serial</th>"
          "<th scope=\"col\">Type</th><th scope=\"col\">State</th><th scope=\"col\">Link</th>"
          "<th scope=\"col\">At most</th><th scope=\"col\">By</th><th scope=\"col\">In use</th>"
          "</tr></thead><tbody>\n",
          p->out);
    for (size_t i = 0; i < m->devices.n; i++)
        device(p, m->devices.v[i], i);
    fputs("</tbody></table>\n", p->out);
    html_fold_end(p);
    fputs("</section>\n", p->out);
    return 0;
}

static void host(const struct page *p, const struct host *h)
{
    const char *const cells[] = { h->model,    h->board, h->driver,      h->driver_version,
                                  h->firmware, h->bios,  h->pci_address, h->pci_id };

    markup(p->out, "<tr><th scope=\"row\">%s</th>", h->kernel_name);
    for (size_t i = 0; i < ELEMENTS(cells); i++)
        markup(p->out, "<td>%s</td>", cells[i]);
    fputs("</tr>\n", p->out);
}

static void parameters(const struct page *p)
{
    const struct model *m = p->report->model;
    size_t n = 0;

    for (size_t i = 0; i < m->hosts.n; i++)
        n += m->hosts.v[i]->parameters.n;
    if (!n)
        return;
    html_fold_begin(p, n, true);
    fputs("Parameters of drivers", p->out);
    html_fold_body(p);
    fputs("<table><thead><tr><th scope=\"col\">Host</th><th scope=\"col\">Parameter</th>"
          "<th scope=\"col\">Value</th><th scope=\"col\">Read from</th></tr></thead><tbody>\n",
          p->out);
    for (size_t i = 0; i < m->hosts.n; i++)
        for (size_t k = 0; k < m->hosts.v[i]->parameters.n; k++) {
            const struct parameter *x = &m->hosts.v[i]->parameters.v[k];

            markup(
                p->out,
                "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td><code>%s</code></td></tr>\n",
                m->hosts.v[i]->kernel_name, x->name, x->value, x->from);
        }
    fputs("</tbody></table>\n", p->out);
    html_fold_end(p);
}

int html_versions(struct page *p)
{
    const struct report *r = p->report;

    fputs("<section aria-labelledby=\"versions\">\n<h2 id=\"versions\">Versions</h2>\n", p->out);
    markup(p->out, "<p>Made by %s. Kernel: %s%s%s.</p>\n", HTML_MADE_BY,
           r->kernel ? r->kernel : "not known", r->machine ? ", " : "", r->machine);
    html_fold_begin(p, r->model->hosts.n, true);
    fputs("Adapters", p->out);
    html_fold_body(p);
    fputs(
        "<table id=\"hosts\"><thead><tr><th scope=\"col\">Host</th><th scope=\"col\">Model</th>"
        "<th scope=\"col\">Board</th><th scope=\"col\">Driver</th><th scope=\"col\">Version</th>"
        "<th scope=\"col\">Firmware</th><th scope=\"col\">BIOS</th><th scope=\"col\">PCI function</th>"
        "<th scope=\"col\">PCI ids</th></tr></thead><tbody>\n",
        p->out);
    for (size_t i = 0; i < r->model->hosts.n; i++)
        host(p, r->model->hosts.v[i]);
    fputs("</tbody></table>\n", p->out);
    html_fold_end(p);
    parameters(p);
    fputs("</section>\n", p->out);
    return 0;
}
