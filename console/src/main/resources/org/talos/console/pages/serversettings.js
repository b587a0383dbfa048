// SPDX-License-Identifier: Apache-2.0
/** The settings of the server that answers, as it has read them: those that are not the default, or all. */
import {get} from "../api.js";
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Loaded} from "../parts/error.js";
import {CheckField} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {usePoll} from "../poll.js";

export function ServerSettings() {
    const [all, setAll] = useState(false);
    const settings = usePoll(options => get("overview/settings", {}, options), 0, []);
    const columns = [
        {id: "key", title: t("server.settingsKey"), head: true, cell: row => mono(row.key)},
        {id: "value", title: t("server.settingsValue"), cell: row => mono(row.value)},
        {id: "usual", title: t("server.settingsUsual"), wide: true, cell: row => mono(row.usual)},
    ];
    return html`<section class="panel stack" aria-labelledby="server-settings">
        <h2 id="server-settings">${t("server.settings")}</h2>
        <p>${t("server.settingsHint")}</p>
        <${CheckField} label=${t("server.settingsAll")} checked=${all} onChange=${setAll} />
        <${Loaded} from=${settings}>${found => html`<${Table} caption=${t("server.settings")} columns=${columns}
            rows=${found.settings.filter(each => all || each.changed)} rowKey=${row => row.key}
            empty=${t("server.settingsNone")} />`}<//>
    </section>`;
}

function mono(text) {
    return html`<span class="mono break">${text}</span>`;
}
