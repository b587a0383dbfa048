// SPDX-License-Identifier: Apache-2.0
/** A table of consumer groups, each with its members and its lag, in the order of the server. */
import {at, get} from "../api.js";
import {number} from "../format.js";
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {Table} from "../parts/table.js";
import {useWatched, Watched} from "../parts/watched.js";
import {href} from "../route.js";

/** The orders that the server has. */
export const GROUP_SORTS = ["name", "topic", "lag"];

/** @param rows each {topic, group, lag}; withTopic adds a column for the topic */
export function GroupTable({rows, withTopic, empty}) {
    const details = useWatched(load);
    const of = (row, draw) => html`<${Watched} name=${`${row.topic}/${row.group}`} rows=${details} draw=${draw} />`;
    const columns = [
        {id: "name", title: t("group"), head: true, sort: true,
            cell: row => html`<a class="break"
                href=${href(["topics", row.topic, "groups", row.group])}>${row.group}</a>`},
        ...(withTopic ? [{id: "topic", title: t("topic"), sort: true,
            cell: row => html`<a class="break" href=${href(["topics", row.topic])}>${row.topic}</a>`}] : []),
        {id: "owner", title: t("owner"), wide: true, cell: row =>
            of(row, each => each.owner ?? html`<span class="quiet">${t("groups.nobody")}</span>`)},
        {id: "members", title: t("members"), end: true, cell: row => of(row, each => number(each.members.length))},
        {id: "lag", title: t("lag"), end: true, sort: true, cell: row => number(row.lag)},
    ];
    return html`<${Table} caption=${t("nav.groups")} columns=${columns} rows=${rows}
        rowKey=${row => `${row.topic}/${row.group}`} first="name" served empty=${empty} />`;
}

function load(name, before, options) {
    const [topic, ...group] = name.split("/");
    return get(at`topics/${topic}/groups/${group.join("/")}`, {}, options);
}
