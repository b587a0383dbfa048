// SPDX-License-Identifier: Apache-2.0
/** The list of topics. Names come a thousand at a time; what else a row shows is asked for when the row is seen. */
import {at, get} from "../api.js";
import {bytes, duration, number, rate} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useMemo, useState} from "../lib.js";
import {TextField} from "../parts/form.js";
import {Loaded} from "../parts/error.js";
import {Table} from "../parts/table.js";
import {useWatched, Watched} from "../parts/watched.js";
import {usePoll} from "../poll.js";
import {change, href, useRoute} from "../route.js";
import {NewTopic} from "./newtopic.js";

const NAMES = 1000;

export default function Topics() {
    const {query} = useRoute();
    const {q: filter = "", after = ""} = query;
    const [making, setMaking] = useState(false);
    const page = usePoll(options => get("topics", {after, limit: NAMES}, options), 0, [after]);
    const rows = useWatched(details);
    return html`<div class="stack">
        <div class="row spread"><h1 tabindex="-1">${t("nav.topics")}</h1>
            <button type="button" class="main" onClick=${() => setMaking(true)}>${t("topics.new")}</button></div>
        <${TextField} label=${t("topics.filter")} type="search" name="filter" value=${filter} data-filter
            onChange=${text => change({q: text})} />
        <${Loaded} from=${page}>${data => html`<${List} topics=${data.topics} filter=${filter} rows=${rows} />
            <div class="row">
                ${after && html`<a class="button" href=${href(["topics"], {q: filter})}>${t("topics.first")}</a>`}
                ${data.next && html`<a class="button"
                    href=${href(["topics"], {q: filter, after: data.next})}>${t("topics.next",
                        {n: number(NAMES)})}</a>`}
            </div>`}<//>
        ${making && html`<${NewTopic} onClose=${() => setMaking(false)} />`}
    </div>`;
}

/** What a row shows beside the name; the topic itself is asked for once. */
async function details(name, before, options) {
    const topic = before?.topic ?? await get(at`topics/${name}`, {}, options);
    const {partitions} = await get(at`topics/${name}/partitions`, {}, options);
    return {topic, partitions};
}

function List({topics, filter, rows}) {
    const words = filter.toLowerCase().split(/\s+/).filter(each => each);
    const shown = useMemo(() =>
        topics.filter(({name, owner}) => words.every(word => `${name} ${owner}`.toLowerCase().includes(word))),
        [topics, filter]);
    const of = (row, draw) => html`<${Watched} name=${row.name} rows=${rows} draw=${draw} />`;
    const columns = [
        {id: "name", title: t("topic"), head: true, sort: row => row.name,
            cell: row => html`<a class="break" href=${href(["topics", row.name])}>${row.name}</a>`},
        {id: "partitions", title: t("partitions"), end: true, cell: row =>
            of(row, ({topic}) => number(topic.partitions))},
        {id: "owner", title: t("owner"), sort: row => row.owner, wide: true, cell: row => row.owner},
        {id: "messages", title: t("messages"), end: true, cell: row =>
            of(row, ({partitions}) => number(sum(partitions, "messages")))},
        {id: "size", title: t("size"), end: true, cell: row =>
            of(row, ({partitions}) => bytes(sum(partitions, "bytes")))},
        {id: "rate", title: t("putRate"), end: true, wide: true, cell: row =>
            of(row, ({partitions}) => rate(sum(partitions, "putsPerSecond")))},
        {id: "retention", title: t("retention"), end: true, wide: true, cell: row =>
            of(row, ({topic}) => duration(topic.retentionSeconds * 1000))},
    ];
    return html`<p class="quiet" role="status">${tn("topics.count", shown.length)}</p>
        <${Table} caption=${t("nav.topics")} columns=${columns} rows=${shown} rowKey=${row => row.name}
            empty=${topics.length === 0 ? t("topics.none") : t("topics.noneFiltered")} />`;
}

/** The sum of a member of all; undefined if none has it. */
export function sum(all, member) {
    const known = (all ?? []).map(each => each[member]).filter(each => each !== undefined);
    return known.length === 0 ? undefined : known.reduce((total, each) => total + each, 0);
}
