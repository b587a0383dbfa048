// SPDX-License-Identifier: Apache-2.0
/** What each operation costs, how many threads suit it best, and how many a second there can be at most. */
import {millis, NONE, number, percent, rate} from "../format.js";
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {Table} from "../parts/table.js";

const OPERATIONS = {put: () => t("operation.put"), get: () => t("operation.get"), other: () => t("operation.other")};

export function Capacity({overview}) {
    const {capacity, processors, utilisation} = overview;
    const columns = [
        {id: "operation", title: t("operation"), head: true, cell: row =>
            OPERATIONS[row.operation]?.() ?? row.operation},
        {id: "requests", title: t("capacity.requests"), end: true, cell: row => number(row.requests)},
        {id: "mean", title: t("capacity.mean"), end: true, cell: row => millis(row.meanMillis)},
        {id: "cpu", title: t("capacity.cpu"), end: true, cell: row => millis(row.cpuMillis)},
        {id: "wait", title: t("capacity.wait"), end: true, cell: row => millis(row.waitMillis)},
        {id: "threads", title: t("capacity.threads"), end: true, cell: row => row.bestThreads === undefined ? NONE
            : number(Math.max(1, Math.round(row.bestThreads)))},
        {id: "most", title: t("capacity.most"), end: true, cell: row => rate(row.mostPerSecond)},
    ];
    return html`<section class="stack" aria-labelledby="capacity">
        <h2 id="capacity">${t("capacity")}</h2>
        <${Table} caption=${t("capacity")} columns=${columns} rows=${capacity} rowKey=${row => row.operation} />
        <details><summary>${t("capacity.how")}</summary>
            <p>${t("capacity.text", {processors: number(processors ?? 0), utilisation: percent(utilisation)})}</p>
            <dl class="facts formulas">
                <div><dt>${t("capacity.threads")}</dt><dd><code>${t("capacity.threadsFormula")}</code></dd></div>
                <div><dt>${t("capacity.most")}</dt><dd><code>${t("capacity.mostFormula")}</code></dd></div>
            </dl>
            <p>${t("capacity.limits")}</p></details>
    </section>`;
}
