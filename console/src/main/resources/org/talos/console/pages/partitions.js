// SPDX-License-Identifier: Apache-2.0
/** The partitions of a topic: who serves each, from where to where it reaches, and the segments of its log. */
import {at, get} from "../api.js";
import {bytes, duration, NONE, number, percent, rate} from "../format.js";
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {Chart} from "../parts/chart.js";
import {Dialog} from "../parts/dialog.js";
import {Loaded} from "../parts/error.js";
import {RowButton} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {Time} from "../parts/time.js";
import {usePoll} from "../poll.js";
import {change, href, useRoute} from "../route.js";
import {sum} from "./topics.js";

const REFRESH_MILLIS = 10_000;
const HISTORY_MILLIS = 15_000;

export default function Partitions({topic}) {
    const {query} = useRoute();
    const states = usePoll(options => get(at`topics/${topic.name}/partitions`, {}, options), REFRESH_MILLIS,
        [topic.name]);
    return html`<div class="stack">
        <${Tiles} topic=${topic} states=${states.data?.partitions} />
        <${TopicCharts} topic=${topic.name} />
        <${Loaded} from=${states}>${({partitions}) =>
            html`<${List} topic=${topic.name} partitions=${partitions} />`}<//>
        ${query.segments !== undefined && html`<${Segments} topic=${topic.name} partition=${query.segments} />`}
    </div>`;
}

function Tiles({topic, states}) {
    const {skew = {}, partitionStates} = topic;
    const most = skew.messages;
    return html`<dl class="tiles">
        <${Tile} title=${t("messages")} value=${number(sum(states ?? partitionStates, "messages"))} />
        <${Tile} title=${t("size")} value=${bytes(sum(states ?? partitionStates, "bytes"))} />
        <${Tile} title=${t("putRate")} value=${rate(sum(states, "putsPerSecond"))} />
        <${Tile} title=${t("retention")} value=${duration(topic.retentionSeconds * 1000)} />
        ${most && topic.partitions > 1 && html`<${Tile} title=${t("skew")} value=${percent(most.share)}
            more=${t("skew.text", {partition: most.partition, mean: percent(most.mean)})} />`}
    </dl>`;
}

/** A figure with its name, and if wanted a line below. Of the kinds warn and bad it stands out. */
export function Tile({title, value, more, kind}) {
    return html`<div class=${`panel tile ${kind || ""}`}><dt class="quiet small">${title}</dt>
        <dd><strong>${value}</strong>
        ${more && html`<span class="quiet small">${more}</span>`}</dd></div>`;
}

/** The last hour, kept by the server from the first time that somebody looks. */
function TopicCharts({topic}) {
    const history = usePoll(options => get(at`topics/${topic}/history`, {}, options), HISTORY_MILLIS, [topic]);
    return html`<${Loaded} from=${history}>${({figures, end, stepSeconds}) => html`<div class="charts">
        <${Chart} level=${2} title=${t("putRate")} series=${[{name: t("messages"), values: figures.putsPerSecond}]}
            end=${end} step=${stepSeconds} format=${rate} />
        <${Chart} level=${2} title=${t("size")} series=${[{name: t("size"), values: figures.bytes}]} end=${end}
            step=${stepSeconds} format=${bytes} />
    </div>`}<//>`;
}

function List({topic, partitions}) {
    const columns = [
        {id: "partition", title: t("partition"), head: true, sort: row => row.partition,
            cell: row => html`<a href=${href(["topics", topic, "messages"], {p: row.partition})}
                aria-label=${t("partitions.messagesOf", {partition: row.partition})}>${row.partition}</a>`},
        {id: "server", title: t("server"), sort: row => row.server ?? row.address ?? "", cell: row =>
            row.server ?? row.address
            ?? html`<span class="badge warn">${t("partitions.unserved")}</span>`},
        {id: "epoch", title: t("epoch"), end: true, wide: true, sort: row => row.epoch, cell: row => row.epoch ?? NONE},
        {id: "first", title: t("offset.first"), end: true, sort: row => row.first, cell: row => row.first ?? NONE},
        {id: "next", title: t("offset.next"), end: true, sort: row => row.next, cell: row => row.next ?? NONE},
        {id: "messages", title: t("messages"), end: true, wide: true, sort: row => row.messages, cell: row =>
            number(row.messages)},
        {id: "size", title: t("size"), end: true, sort: row => row.bytes, cell: row => bytes(row.bytes)},
        {id: "rate", title: t("putRate"), end: true, sort: row => row.putsPerSecond, cell: row =>
            rate(row.putsPerSecond)},
        {id: "actions", title: "", class: "actions", cell: row =>
            html`<${RowButton} text=${t("segments")} of=${row.partition}
            onClick=${() => change({segments: row.partition}, false)} />`},
    ];
    return html`<${Table} caption=${t("partitions")} columns=${columns} rows=${partitions}
        rowKey=${row => row.partition} />`;
}

function Segments({topic, partition}) {
    const found = usePoll(options => get(at`topics/${topic}/partitions/${partition}/segments`, {}, options), 0,
        [topic, partition]);
    const columns = [
        {id: "first", title: t("offset.first"), head: true, end: true, sort: row => row.first, cell: row => html`<a
            href=${href(["topics", topic, "messages"], {p: partition, from: row.first})}>${row.first}</a>`},
        {id: "last", title: t("offset.last"), end: true, cell: row => row.last ?? NONE},
        {id: "messages", title: t("messages"), end: true, wide: true, cell: row => number(row.messages)},
        {id: "size", title: t("size"), end: true, sort: row => row.bytes, cell: row => bytes(row.bytes)},
        {id: "epoch", title: t("epoch"), end: true, wide: true, cell: row => row.epoch},
        {id: "from", title: t("time.first"), cell: row => html`<${Time} at=${row.appendedFrom} />`},
        {id: "to", title: t("time.last"), cell: row => html`<${Time} at=${row.appendedTo} />`},
        {id: "state", title: t("state"), cell: row => row.sealed
            ? html`<span class="badge">${t("segments.sealed")}</span>`
            : html`<span class="badge good">${t("segments.active")}</span>`},
    ];
    return html`<${Dialog} wide title=${t("segments.of", {partition})}
        onClose=${() => change({segments: "", segmentSort: ""})}>
        <p class="quiet">${t("segments.text")}</p>
        <${Loaded} from=${found}>${({segments}) =>
            html`<${Table} caption=${t("segments")} columns=${columns} rows=${segments}
            rowKey=${row => row.first} sortName="segmentSort" />`}<//>
        <footer><button type="button"
            onClick=${() => change({segments: "", segmentSort: ""})}>${t("close")}</button></footer>
    <//>`;
}
