// SPDX-License-Identifier: Apache-2.0
/** Tables: sorted by a click on a column, which the address keeps, and of long ones only the rows that are seen. */
import {html, useEffect, useMemo, useRef, useState} from "../lib.js";
import {t, spoken} from "../i18n.js";
import {change, useRoute} from "../route.js";

const ROW_PIXELS = 39; // of .table.even: 2.4rem and the line below
const VIRTUAL_ROWS = 150;
const SPARE_ROWS = 15;

/**
 * A table.
 *
 * @param caption the table's name, for screen readers
 * @param columns each {id, title, cell(row)}, and if wanted sort(row) for its order, end: true for numbers, head: true
 *     for the cell that names the row, wide: true if it is left out on narrow screens
 * @param rows any values
 * @param rowKey gives what tells one row from the others
 * @param sortName the address's name for the order; several tables of a page need several
 * @param first order that holds if the address has none: a column's id, with "-" before it to begin with the largest
 * @param empty what stands there if there are no rows
 * @param served whether the rows are a part of a list that the server sorts: sort is true of a column by which it can,
 *     and another order begins with the first part
 */
export function Table({caption, columns, rows, rowKey, sortName = "sort", first = "", empty, served}) {
    const {query} = useRoute();
    const order = query[sortName] ?? first;
    const sorted = useMemo(() => served ? rows : inOrder(rows, columns, order), [rows, order, spoken(), served]);
    const even = sorted.length > VIRTUAL_ROWS;
    const [part, region] = useWindow(sorted.length, even);
    const seen = even ? sorted.slice(part.begin, part.end) : sorted;
    return html`<div class=${`table${even ? " tall even" : ""}`} role="group" aria-label=${caption} tabindex="0"
        ref=${region}>
        <table aria-rowcount=${even ? sorted.length + 1 : undefined}>
            <caption class="hidden-visually">${caption}</caption>
            <thead><tr>${columns.map(column =>
                html`<${Head} key=${column.id} column=${column} order=${order} name=${sortName}
                    served=${served} />`)}</tr></thead>
            <tbody>
                ${even && part.begin > 0 && html`<${Space} rows=${part.begin} columns=${columns.length} />`}
                ${seen.map((row, index) =>
                    html`<tr key=${rowKey(row)} aria-rowindex=${even ? part.begin + index + 2 : undefined}>
                    ${columns.map(column => html`<${Cell} key=${column.id} column=${column} row=${row} />`)}
                </tr>`)}
                ${even && part.end < sorted.length
                    && html`<${Space} rows=${sorted.length - part.end} columns=${columns.length} />`}
                ${sorted.length === 0 && html`<tr><td class="empty"
                    colspan=${columns.length}>${empty ?? t("table.empty")}</td></tr>`}
            </tbody>
        </table>
    </div>`;
}

function classes(column) {
    return [column.end ? "end" : "", column.wide ? "wide-only" : "", column.class ?? ""].filter(each => each).join(" ")
        || undefined;
}

function Head({column, order, name, served}) {
    const sortedBy = order.replace("-", "") === column.id;
    const down = order.startsWith("-");
    if (!column.sort) {
        return html`<th scope="col" class=${classes(column)}>${column.title
            || html`<span class="hidden-visually">${t("table.actions")}</span>`}</th>`;
    }
    const next = sortedBy ? (down ? column.id : `-${column.id}`) : column.end ? `-${column.id}` : column.id;
    return html`<th scope="col" class=${classes(column)}
        aria-sort=${sortedBy ? (down ? "descending" : "ascending") : undefined}>
        <button type="button" onClick=${() => change({[name]: next, ...(served && {after: ""})})}>${column.title}
            <span aria-hidden="true">${sortedBy ? (down ? "↓" : "↑") : ""}</span></button>
    </th>`;
}

function Cell({column, row}) {
    return column.head
        ? html`<th scope="row" class=${classes(column)}>${column.cell(row)}</th>`
        : html`<td class=${classes(column)}>${column.cell(row)}</td>`;
}

function Space({rows, columns}) {
    return html`<tr aria-hidden="true"><td colspan=${columns}
        style=${{height: `${rows * ROW_PIXELS}px`, padding: 0}}></td></tr>`;
}

function inOrder(rows, columns, order) {
    const column = columns.find(each => each.id === order.replace("-", "") && each.sort);
    if (!column) {
        return rows;
    }
    const sign = order.startsWith("-") ? -1 : 1;
    const collator = new Intl.Collator(spoken(), {numeric: true});
    return [...rows].sort((one, other) => {
        const [a, b] = [column.sort(one), column.sort(other)];
        const missing = (a === undefined || a === null) - (b === undefined || b === null);
        return missing || sign * (typeof a === "string" ? collator.compare(a, b) : a - b || 0);
    });
}

/** Which rows of a long table are seen, as its region is scrolled. */
export function useWindow(rows, wanted, rowPixels = ROW_PIXELS) {
    const region = useRef();
    const [part, setPart] = useState({begin: 0, end: Math.min(rows, 60)});
    useEffect(() => {
        const element = region.current;
        if (!wanted || !element) {
            return undefined;
        }
        let frame = 0;
        const look = () => {
            frame = 0;
            const begin = Math.max(0, Math.floor(element.scrollTop / rowPixels) - SPARE_ROWS);
            const end = Math.min(rows, Math.ceil((element.scrollTop + element.clientHeight) / rowPixels) + SPARE_ROWS);
            setPart(before => before.begin === begin && before.end === end ? before : {begin, end});
        };
        const later = () => {
            frame ||= requestAnimationFrame(look);
        };
        look();
        element.addEventListener("scroll", later, {passive: true});
        const size = new ResizeObserver(later);
        size.observe(element);
        return () => {
            cancelAnimationFrame(frame);
            element.removeEventListener("scroll", later);
            size.disconnect();
        };
    }, [rows, wanted, rowPixels]);
    return [part, region];
}
