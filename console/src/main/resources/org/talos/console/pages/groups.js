// SPDX-License-Identifier: Apache-2.0
/** The consumer groups of all topics. The server searches and sorts them. */
import {t, tn} from "../i18n.js";
import {html} from "../lib.js";
import {Loaded} from "../parts/error.js";
import {TextField} from "../parts/form.js";
import {Count, emptyText, Parts, useList} from "../parts/list.js";
import {change, useRoute} from "../route.js";
import {GROUP_SORTS, GroupTable} from "./grouptable.js";

export default function Groups() {
    const {query: {q: filter = ""}} = useRoute();
    const list = useList("groups", GROUP_SORTS);
    return html`<div class="stack">
        <h1 tabindex="-1">${t("nav.groups")}</h1>
        <${TextField} label=${t("groups.filter")} type="search" name="filter" value=${filter} data-filter
            onChange=${q => change({q, after: ""})} />
        <${Loaded} from=${list}>${({groups, total}) => html`
            <${Count} from=${list} text=${tn("groups.count", total)} />
            <${GroupTable} rows=${groups} withTopic
                empty=${emptyText(list, filter, t("groups.none"), t("groups.noneFiltered"))} />
            <${Parts} from=${list} path=${["groups"]} />`}<//>
    </div>`;
}
