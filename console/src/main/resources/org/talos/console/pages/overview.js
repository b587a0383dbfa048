// SPDX-License-Identifier: Apache-2.0
/** How the server is, what it did in the last hour, and how much more it could do. */
import {get} from "../api.js";
import {byteRate, bytes, duration, millis, number, percent, rate} from "../format.js";
import {t, tn} from "../i18n.js";
import {html} from "../lib.js";
import {Chart} from "../parts/chart.js";
import {Loaded} from "../parts/error.js";
import {Events} from "../parts/events.js";
import {Time} from "../parts/time.js";
import {usePoll} from "../poll.js";
import {Capacity} from "./capacity.js";
import {Checks, ReadyBadge} from "./checks.js";
import {href} from "../route.js";
import {lostServers} from "./lost.js";
import {Tile} from "./partitions.js";

const REFRESH_MILLIS = 10_000;
const HISTORY_MILLIS = 15_000;
const FULL = 0.9;
const STATES = {
    opening: () => t("partitions.opening"),
    serving: () => t("partitions.serving"),
    failed: () => t("partitions.failed"),
};

export default function Overview({session}) {
    const overview = usePoll(options => get("overview", {}, options), REFRESH_MILLIS, []);
    return html`<div class="stack">
        <h1 tabindex="-1">${t("nav.overview")}</h1>
        <${Loaded} from=${overview}>${(data, stale) => html`
            <${Tiles} overview=${data} stale=${stale} />
            ${session.admin ? html`<${Checks} overview=${data} stale=${stale} /><${Charts} />
                ${data.capacity && html`<${Capacity} overview=${data} />`}
                <section class="panel" aria-labelledby="events"><h2 id="events">${t("events")}</h2><${Events}
                    events=${data.events ?? []} /></section>`
                : html`<p class="note">${t("overview.user")}</p>`}`}<//>
    </div>`;
}

function Tiles({overview, stale}) {
    const {storage, partitions = {}} = overview;
    const total = Object.values(partitions).reduce((sum, each) => sum + each, 0);
    const states = Object.entries(partitions).filter(([, count]) => count > 0)
        .map(([state, count]) => `${number(count)} ${STATES[state]?.() ?? state}`).join(", ");
    return html`<dl class="tiles">
        <${Tile} title=${t("health")}
            value=${html`<${ReadyBadge} ready=${overview.ready} stale=${stale} />`}
            more=${html`${t("overview.up", {duration: duration(overview.uptimeSeconds * 1000)})}`} />
        <${Tile} title=${t("version")} value=${overview.version}
            more=${html`${t("overview.started")} <${Time} at=${overview.startedAt} />`} />
        ${storage && html`<${Storage} storage=${storage} />`}
        ${overview.server !== undefined && html`<${Servers} />`}
        ${total > 0 && html`<${Tile} title=${t("overview.partitions")} value=${number(total)} more=${states} />`}
    </dl>`;
}

function Servers() {
    const cluster = usePoll(options => get("cluster", {}, options), REFRESH_MILLIS, []);
    const servers = cluster.data ? [...cluster.data.servers, ...lostServers(cluster.data)] : [];
    const serving = servers.filter(each => each.state === "serving").length;
    const all = number(cluster.data && servers.length);
    return html`<${Tile} title=${t("overview.servers")} value=${html`<a href=${href(["cluster"])}>${all}</a>`}
        kind=${serving < servers.length && "warn"}
        more=${cluster.error ? t("health.unknown")
            : cluster.data ? t("overview.serving", {serving: number(serving), all}) : t("loading")} />`;
}

function Storage({storage}) {
    const {usedBytes, freeBytes} = storage;
    if (freeBytes === undefined) {
        return html`<${Tile} title=${t("storage")} value=${bytes(usedBytes)} more=${t("storage.elsewhere")} />`;
    }
    const share = usedBytes === undefined ? 0 : usedBytes / Math.max(1, usedBytes + freeBytes);
    const text = t("storage.free", {free: bytes(freeBytes)});
    return html`<${Tile} title=${t("storage")} value=${bytes(usedBytes)} more=${html`${text}
        <progress class=${share > FULL ? "full" : ""} max="1" value=${share}
            aria-label=${`${t("storage")}: ${percent(share)}, ${text}`}></progress>`} />`;
}

const PUTS = ["putMillisP50", "putMillisP99", "putMillisP999"];
const GETS = ["getMillisP50", "getMillisP99", "getMillisP999"];

/** The charts: each a title, a format, and the figures with their names. */
function charts() {
    const latencies = figures => figures.map((figure, index) => [figure, ["P50", "P99", "P999"][index]]);
    return [
        {title: t("chart.messages"), format: rate,
            figures: [["putMessagesPerSecond", t("chart.put")], ["getMessagesPerSecond", t("chart.get")]]},
        {title: t("chart.requests"), format: rate,
            figures: [["putsPerSecond", t("chart.put")], ["getsPerSecond", t("chart.get")]]},
        {title: t("chart.bytes"), format: byteRate,
            figures: [["putBytesPerSecond", t("chart.put")], ["getBytesPerSecond", t("chart.get")]]},
        {title: t("chart.putLatency"), format: millis, figures: latencies(PUTS)},
        {title: t("chart.getLatency"), format: millis, figures: latencies(GETS)},
        {title: t("chart.lag"), format: number, figures: [["lag", t("messages")]]},
        {title: t("chart.errors"), format: rate,
            figures: [["errorsPerSecond", t("chart.errorsOf")], ["refusedPerSecond", t("chart.refused")]]},
        {title: t("chart.cpu"), format: percent, figures: [["cpu", t("chart.cpuOf")]]},
        {title: t("chart.heap"), format: bytes, figures: [["heapBytes", t("chart.heapOf")]]},
        {title: t("storage"), format: bytes, figures: [["storedBytes", t("chart.stored")]]},
    ];
}

function Charts() {
    const history = usePoll(options => get("overview/history", {}, options), HISTORY_MILLIS, []);
    return html`<section class="stack" aria-labelledby="hour"><h2 id="hour">${t("overview.hour")}</h2>
        <${Loaded} from=${history}>${({figures, end, stepSeconds}) => {
            const shown = charts().filter(each => each.figures.some(([figure]) => figures[figure]));
            return html`<div class="charts">${shown.map(({title, format, figures: drawn}) =>
                html`<${Chart} key=${title} title=${title} format=${format}
                end=${end} step=${stepSeconds}
                    series=${drawn.filter(([figure]) => figures[figure]).map(([figure, name]) =>
                        ({name, values: figures[figure]}))} />`)}</div>
                <p class="quiet small">${tn("overview.points", stepSeconds)}</p>`;
        }}<//></section>`;
}
