// SPDX-License-Identifier: Apache-2.0
/** A table of consumer groups, each with its members and its lag. */
import {at, get} from "../api.js";
import {NONE, number} from "../format.js";
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {Table} from "../parts/table.js";
import {useWatched, Watched} from "../parts/watched.js";
import {href} from "../route.js";

/** @param rows each {topic, group}; withTopic adds a column for the topic */
export function GroupTable({rows, withTopic, empty}) {
    const details = useWatched(load);
    const of = (row, draw) => html`<${Watched} name=${`${row.topic}/${row.group}`} rows=${details} draw=${draw} />`;
    const columns = [
        {id: "group", title: t("group"), head: true, sort: row => row.group,
            cell: row => html`<a class="break"
                href=${href(["topics", row.topic, "groups", row.group])}>${row.group}</a>`},
        ...(withTopic ? [{id: "topic", title: t("topic"), sort: row => row.topic,
            cell: row => html`<a class="break" href=${href(["topics", row.topic])}>${row.topic}</a>`}] : []),
        {id: "owner", title: t("owner"), wide: true, cell: row =>
            of(row, each => each.owner ?? html`<span class="quiet">${t("groups.nobody")}</span>`)},
        {id: "members", title: t("members"), end: true, cell: row => of(row, each => number(each.members.length))},
        {id: "lag", title: t("lag"), end: true, cell: row =>
            of(row, each => each.lag === undefined ? NONE : number(each.lag))},
    ];
    return html`<${Table} caption=${t("nav.groups")} columns=${columns} rows=${rows}
        rowKey=${row => `${row.topic}/${row.group}`} empty=${empty} />`;
}

function load(name, before, options) {
    const [topic, ...group] = name.split("/");
    return get(at`topics/${topic}/groups/${group.join("/")}`, {}, options);
}
