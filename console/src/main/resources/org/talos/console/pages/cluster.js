// SPDX-License-Identifier: Apache-2.0
/** The servers: what each has, who leads, what happened; drain, resume, move, rebalance, and how far that is. */
import {at, get, send} from "../api.js";
import {number} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useRef, useState} from "../lib.js";
import {Confirm} from "../parts/dialog.js";
import {Loaded} from "../parts/error.js";
import {Events} from "../parts/events.js";
import {RowButton} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {Time} from "../parts/time.js";
import {toast} from "../parts/toast.js";
import {usePoll} from "../poll.js";
import {Checks, ReadyBadge} from "./checks.js";
import {MoveDialog} from "./move.js";
import {forgetServer, lostServers} from "./lost.js";
import {Tile} from "./partitions.js";
import {Placement} from "./placement.js";
import {ServerSettings} from "./serversettings.js";

const REFRESH_MILLIS = 2_000; // of what is watched while partitions move
const HEALTH_MILLIS = 10_000;

const STATES = {
    serving: {text: () => t("server.serving"), kind: "good"},
    delay_removed: {text: () => t("server.delayed"), kind: "warn"},
    drained: {text: () => t("server.drained"), kind: "warn"},
    lost: {text: () => t("server.lost"), kind: "bad"},
};

export default function Cluster({session}) {
    return html`<div class="stack"><h1 tabindex="-1">${t("nav.cluster")}</h1>
        ${session.admin ? html`<${Health} />` : html`<p class="note">${t("forAdministrators")}</p>`}</div>`;
}

/** A server that is alone says so by having no id: it is not asked for a cluster then. */
function Health() {
    const overview = usePoll(options => get("overview", {}, options), HEALTH_MILLIS, []);
    return html`<${Loaded} from=${overview}>${(data, stale) => html`
        ${data.server === undefined ? html`<p class="note">${t("cluster.alone")}</p>` : html`<${Several} />`}
        <${Checks} overview=${data} stale=${stale} />
        <${ServerSettings} />`}<//>`;
}

function Several() {
    const cluster = usePoll(options => get("cluster", {}, options), REFRESH_MILLIS, []);
    return html`<${Loaded} from=${cluster}>${(data, stale) => html`<${Totals} cluster=${data} />
        <${Servers} cluster=${data} stale=${stale} refresh=${cluster.refresh} />
        <${Placement} servers=${data.servers} />
        <${Workers} workers=${data.workers} />
        <section class="panel" aria-labelledby="events"><h2 id="events">${t("events")}</h2><${Events}
            events=${data.events} /></section>`}<//>`;
}

/** Partitions of the whole cluster: those that are being opened are what the servers say that are there. */
function Totals({cluster}) {
    const opening = cluster.servers.reduce((sum, each) => sum + (each.opening ?? 0), 0);
    return html`<dl class="tiles">
        <${Tile} title=${t("cluster.withoutServer")} value=${number(cluster.withoutServer)}
            kind=${cluster.withoutServer > 0 && "bad"} />
        <${Tile} title=${t("cluster.opening")} value=${number(opening)} more=${t("cluster.said")} />
    </dl>`;
}

function Ready({row}) {
    if (row.ready === undefined) {
        return html`<span class="quiet">${t("server.silent")}</span>`;
    }
    return html`<${ReadyBadge} ready=${row.ready} />
        ${row.failing.map(each => html`<div key=${each.name} class="small"><strong>${each.name}</strong> <span lang="en"
            class="break">${each.reason}</span></div>`)}`;
}

function Servers({cluster, stale, refresh}) {
    const [dialog, setDialog] = useState();
    const moving = useProgress(cluster.servers);
    const lost = lostServers(cluster);
    const rows = [...cluster.servers, ...lost].map(each => stale ? {...each, ready: undefined, stale} : each);
    const close = () => {
        setDialog(undefined);
        refresh();
    };
    const columns = [
        {id: "server", title: t("server"), head: true, sort: row => row.server, cell: row => html`${row.server}
            ${row.server === cluster.leader && html` <span class="badge">${t("server.leader")}</span>`}`},
        {id: "state", title: t("state"), sort: row => row.state, cell: row => {
            const {text, kind} = STATES[row.state] ?? {text: () => row.state, kind: ""};
            return html`<span class=${`badge ${row.stale ? "" : kind}`}>${text()}</span>`;
        }},
        {id: "health", title: t("health"), cell: row => html`<${Ready} row=${row} />`},
        {id: "address", title: t("address"), wide: true, cell: row => row.address
            || html`<span class="quiet">${t("server.away")}</span>`},
        {id: "partitions", title: t("partitions"), end: true, sort: row => row.partitions, cell: row =>
            number(row.partitions)},
        ...(cluster.servers.every(each => each.state === "serving") ? [] : [{id: "progress", title: t("progress"),
            cell: row => html`<${Progress} row=${row} most=${moving.get(row.server)} />`}]),
        {id: "actions", title: "", class: "actions", cell: row =>
            html`<${Action} row=${row} choose=${setDialog} refresh=${refresh} />`},
    ];
    const others = server => cluster.servers.filter(each => each.server !== server && each.state === "serving").length;
    return html`<section class="stack" aria-labelledby="servers">
        <div class="row spread"><h2 id="servers">${t("servers")}</h2><div class="row">
            <button type="button" onClick=${() => setDialog({move: true})}>${t("move")}</button>
            <button type="button" onClick=${() => setDialog({rebalance: true})}>${t("rebalance")}</button></div></div>
        ${cluster.leader === "" && html`<p class="note warn" role="status">${t("cluster.noLeader")}</p>`}
        ${lost.map(each => html`<div class="note bad" role="alert" key=${each.server}>
            <p><strong>${t("server.lostText", {server: each.server})}</strong> <${Time} at=${each.since} /></p>
            <p>${t("server.lostHint")}</p></div>`)}
        <${Table} caption=${t("servers")} columns=${columns} rows=${rows} rowKey=${row => row.server} />
        ${dialog?.drain && html`<${Confirm} title=${t("server.drainOf", {server: dialog.drain.server})}
            action=${t("server.drain")} onClose=${close}
            act=${() => change("PUT", dialog.drain.server)}>
            <div class="note warn"><p>${tn("server.drainText", dialog.drain.partitions)}</p>
                ${others(dialog.drain.server) === 0
                    && html`<p><strong>${t("server.drainLast")}</strong></p>`}</div><//>`}
        ${dialog?.resume && html`<${Confirm} bad=${false} title=${t("server.resumeOf", {server: dialog.resume.server})}
            action=${t("server.resume")}
            onClose=${close} act=${() => change("DELETE", dialog.resume.server)}><p>${t("server.resumeText")}</p><//>`}
        ${dialog?.rebalance && html`<${Confirm} bad=${false} title=${t("rebalance")} action=${t("rebalance")}
            onClose=${close}
            act=${async () => {
                await send("POST", "cluster/rebalance");
                toast(t("rebalance.begun"));
            }}><p>${t("rebalance.text")}</p><//>`}
        ${dialog?.move && html`<${MoveDialog} servers=${cluster.servers} onClose=${close} />`}
    </section>`;
}

/** The button of a server's row. A server that is away has none, as it cannot release its partitions. */
function Action({row, choose, refresh}) {
    if (row.state === "lost") {
        return html`<${RowButton} text=${t("server.forget")} of=${row.server} onClick=${() => {
            forgetServer(row.server);
            refresh();
        }} />`;
    }
    if (row.state === "drained") {
        return html`<${RowButton} text=${t("server.resume")} of=${row.server}
            onClick=${() => choose({resume: row})} />`;
    }
    return row.address === "" ? null
        : html`<${RowButton} text=${t("server.drain")} of=${row.server} onClick=${() => choose({drain: row})} />`;
}

async function change(method, server) {
    await send(method, at`cluster/servers/${server}/drain`);
    toast(method === "PUT" ? t("server.drainBegun", {server}) : t("server.resumed", {server}));
}

/** The most partitions that each drained server was seen with: of so many it has so many left. */
function useProgress(servers) {
    const most = useRef(new Map());
    servers.forEach(({server, state, partitions}) => {
        if (state === "serving") {
            most.current.set(server, partitions); // what it begins with, if it is drained now
        } else {
            most.current.set(server, Math.max(most.current.get(server) ?? 0, partitions));
        }
    });
    return most.current;
}

function Progress({row, most}) {
    if (row.state === "serving") {
        return null;
    }
    if (row.partitions === 0) {
        return row.state === "drained" ? html`<span class="badge good">${t("server.empty")}</span>` : null;
    }
    const left = tn("server.left", row.partitions);
    return html`<span class="small">${left}</span>
        ${row.state === "drained" && html`<progress max=${most} value=${most - row.partitions}
            aria-label=${`${row.server}: ${left}`}></progress>`}`;
}

function Workers({workers}) {
    const columns = [
        {id: "pool", title: t("workers.pool"), head: true, cell: row => row.pool},
        {id: "workers", title: t("workers"), end: true, cell: row => number(row.workers)},
        {id: "auto", title: t("workers.how"), cell: row => row.auto ? t("workers.auto") : t("workers.fixed")},
    ];
    return html`<section class="stack" aria-labelledby="workers"><h2 id="workers">${t("workers.title")}</h2>
        <${Table} caption=${t("workers.title")} columns=${columns} rows=${workers}
            rowKey=${row => row.pool} /></section>`;
}
