// SPDX-License-Identifier: Apache-2.0
/** A consumer group on a topic: who is in it, how far it is behind, who may use it; reset, undo, delete. */
import {at, get, send} from "../api.js";
import {NONE, number, rate} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Chart} from "../parts/chart.js";
import {Confirm} from "../parts/dialog.js";
import {Loaded} from "../parts/error.js";
import {Table} from "../parts/table.js";
import {toast} from "../parts/toast.js";
import {usePoll} from "../poll.js";
import {go, href} from "../route.js";
import {GroupRights} from "./grouprights.js";
import {Tile} from "./partitions.js";
import {ResetDialog, UndoDialog} from "./reset.js";

const REFRESH_MILLIS = 5_000;
const HISTORY_MILLIS = 15_000;

const KINDS = {sdk: () => "SDK", rest: () => "REST", stream: () => t("members.stream")};

export function Group({topic, group}) {
    const [dialog, setDialog] = useState();
    const found = usePoll(options => get(at`topics/${topic.name}/groups/${group}`, {}, options), REFRESH_MILLIS,
        [topic.name, group]);
    const close = () => {
        setDialog(undefined);
        found.refresh();
    };
    return html`<${Loaded} from=${found}>${data => html`<div class="stack">
        <div class="row">
            <button type="button" onClick=${() => setDialog("reset")}>${t("reset")}</button>
            <button type="button" onClick=${() => setDialog("undo")}>${t("undo")}</button>
            <button type="button" class="bad" onClick=${() => setDialog("delete")}>${t("delete")}</button>
        </div>
        <dl class="tiles">
            <${Tile} title=${t("lag")} value=${data.lag === undefined ? NONE : number(data.lag)}
                more=${data.lag === undefined && t("lag.unknown")} />
            <${Tile} title=${t("members")} value=${number(data.members.length)} />
            <${Tile} title=${t("owner")} value=${data.owner ?? t("groups.nobody")} />
        </dl>
        <${GroupCharts} topic=${topic.name} group=${group} />
        <${Members} members=${data.members} />
        <${Progress} topic=${topic.name} partitions=${data.partitions} />
        <${GroupRights} topic=${topic.name} group=${group} grants=${data.grants ?? []} refresh=${found.refresh} />
        ${dialog === "reset" && html`<${ResetDialog} topic=${topic} group=${group} members=${data.members.length}
            onClose=${close} />`}
        ${dialog === "undo" && html`<${UndoDialog} topic=${topic.name} group=${group} members=${data.members.length}
            onClose=${close} />`}
        ${dialog === "delete" && html`<${Delete} topic=${topic.name} group=${group} data=${data}
            onClose=${() => setDialog(undefined)} />`}
    </div>`}<//>`;
}

function GroupCharts({topic, group}) {
    const history = usePoll(options => get(at`topics/${topic}/groups/${group}/history`, {}, options), HISTORY_MILLIS,
        [topic, group]);
    return html`<${Loaded} from=${history}>${({figures, end, stepSeconds}) => html`<div class="charts">
        <${Chart} level=${2} title=${t("lag")} series=${[{name: t("messages"), values: figures.lag}]} end=${end}
            step=${stepSeconds} format=${number} />
        <${Chart} level=${2} title=${t("commitRate")}
            series=${[{name: t("messages"), values: figures.committedPerSecond}]} end=${end} step=${stepSeconds}
                format=${rate} />
    </div>`}<//>`;
}

function Members({members}) {
    const columns = [
        {id: "member", title: t("member"), head: true, cell: row =>
            html`<span class="break mono">${row.member}</span>`},
        {id: "kind", title: t("members.kind"), cell: row => KINDS[row.kind]?.() ?? row.kind},
        {id: "count", title: t("partitions"), end: true, cell: row => number(row.partitions.length)},
        {id: "partitions", title: t("members.which"), cell: row =>
            html`<span class="break">${row.partitions.join(", ") || NONE}</span>`},
    ];
    return html`<section class="stack" aria-labelledby="members"><h2 id="members">${t("members")}</h2>
        <${Table} caption=${t("members")} columns=${columns} rows=${members} rowKey=${row => row.member}
            empty=${t("members.none")} /></section>`;
}

function Progress({topic, partitions}) {
    const columns = [
        {id: "partition", title: t("partition"), head: true, sort: row => row.partition, cell: row => html`<a
            aria-label=${t("partitions.messagesOf", {partition: row.partition})}
            href=${href(["topics", topic, "messages"], {p: row.partition, from: row.committed})}>${row.partition}</a>`},
        {id: "member", title: t("member"), cell: row =>
            html`<span class="break mono small">${row.member ?? NONE}</span>`},
        {id: "committed", title: t("committed"), end: true, sort: row => row.committed, cell: row =>
            row.committed ?? t("committed.never")},
        {id: "start", title: t("offset.first"), end: true, wide: true, cell: row => row.start ?? NONE},
        {id: "end", title: t("offset.next"), end: true, cell: row => row.end ?? NONE},
        {id: "lag", title: t("lag"), end: true, sort: row => row.lag, cell: row => number(row.lag)},
    ];
    return html`<section class="stack" aria-labelledby="progress"><h2 id="progress">${t("partitions")}</h2>
        <${Table} caption=${t("partitions")} columns=${columns} rows=${partitions}
            rowKey=${row => row.partition} /></section>`;
}

function Delete({topic, group, data, onClose}) {
    const act = async () => {
        await send("DELETE", at`topics/${topic}/groups/${group}`);
        toast(t("groups.deleted", {group}));
        go(href(["topics", topic, "groups"]));
    };
    const committed = data.partitions.filter(each => each.committed !== undefined).length;
    return html`<${Confirm} title=${t("groups.deleteTitle", {group})} word=${group} action=${t("delete")} act=${act}
        onClose=${onClose}>
        <div class="note warn"><p>${tn("groups.deleteText", committed)}</p>
            ${data.members.length > 0 && html`<p>${tn("groups.deleteMembers", data.members.length)}</p>`}</div>
    <//>`;
}
