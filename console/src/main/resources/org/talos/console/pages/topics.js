// SPDX-License-Identifier: Apache-2.0
/** The list of topics. The server searches and sorts it, and has the figures of each row. */
import {bytes, duration, NONE, number, rate} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Loaded} from "../parts/error.js";
import {TextField} from "../parts/form.js";
import {Count, emptyText, Parts, useList} from "../parts/list.js";
import {Table} from "../parts/table.js";
import {change, href, useRoute} from "../route.js";
import {DeleteTopics, RetainTopics} from "./manytopics.js";
import {NewTopic} from "./newtopic.js";

const SORTS = ["name", "owner", "messages", "size", "rate"];

export default function Topics() {
    const {query: {q: filter = ""}} = useRoute();
    const [making, setMaking] = useState(false);
    const [chosen, setChosen] = useState([]);
    const [dialog, setDialog] = useState("");
    const list = useList("topics", SORTS);
    const choose = name => setChosen(chosen.includes(name) ? chosen.filter(each => each !== name) : [...chosen, name]);
    const close = () => {
        setDialog("");
        setChosen([]);
        list.refresh();
    };
    return html`<div class="stack">
        <div class="row spread"><h1 tabindex="-1">${t("nav.topics")}</h1>
            <button type="button" class="main" onClick=${() => setMaking(true)}>${t("topics.new")}</button></div>
        <${TextField} label=${t("topics.filter")} type="search" name="filter" value=${filter} data-filter
            onChange=${text => change({q: text, after: ""})} />
        <${Loaded} from=${list}>${({topics, total}) => html`
            <${Count} from=${list} text=${tn("topics.count", total)} />
            ${chosen.length > 0 && html`<div class="row"><span role="status">${tn("topics.chosen",
                chosen.length)}</span>
                <button type="button" onClick=${() => setDialog("retain")}>${t("topics.retain")}</button>
                <button type="button" class="bad" onClick=${() => setDialog("delete")}>${t("topics.delete")}</button>
            </div>`}
            <${Table} caption=${t("nav.topics")} columns=${columns(chosen, choose)} rows=${topics}
                rowKey=${row => row.name} first="name" served
                empty=${emptyText(list, filter, t("topics.none"), t("topics.noneFiltered"))} />
            <${Parts} from=${list} path=${["topics"]} />`}<//>
        ${dialog === "delete" && html`<${DeleteTopics} topics=${chosen} onClose=${close} />`}
        ${dialog === "retain" && html`<${RetainTopics} topics=${chosen} onClose=${close} />`}
        ${making && html`<${NewTopic} onClose=${() => setMaking(false)} />`}
    </div>`;
}

function columns(chosen, choose) {
    return [
        {id: "chosen", title: "", cell: row => html`<input type="checkbox" checked=${chosen.includes(row.name)}
            aria-label=${t("topics.choose", {topic: row.name})} onChange=${() => choose(row.name)} />`},
        {id: "name", title: t("topic"), head: true, sort: true,
            cell: row => html`<a class="break" href=${href(["topics", row.name])}>${row.name}</a>`},
        {id: "partitions", title: t("partitions"), end: true, cell: row => number(row.contents?.partitions)},
        {id: "owner", title: t("owner"), sort: true, wide: true, cell: row => row.owner},
        {id: "messages", title: t("messages"), end: true, sort: true, cell: row => number(row.contents?.messages)},
        {id: "size", title: t("size"), end: true, sort: true, cell: row => bytes(row.contents?.bytes)},
        {id: "rate", title: t("putRate"), end: true, sort: true, wide: true,
            cell: row => rate(row.contents?.putsPerSecond)},
        {id: "retention", title: t("retention"), end: true, wide: true,
            cell: row => row.contents ? duration(row.contents.retentionSeconds * 1000) : NONE},
    ];
}

/** The sum of a member of all; undefined if none has it. */
export function sum(all, member) {
    const known = (all ?? []).map(each => each[member]).filter(each => each !== undefined);
    return known.length === 0 ? undefined : known.reduce((total, each) => total + each, 0);
}
