// SPDX-License-Identifier: Apache-2.0
/** A table of messages, each with the beginning of what it holds. */
import {bytes} from "../format.js";
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {RowButton} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {Time} from "../parts/time.js";
import {change} from "../route.js";

const PREVIEW_CHARACTERS = 200;

/** The beginning of a message's value on one line. */
export function preview(message) {
    const text = message.value ?? message.base64 ?? "";
    const line = text.slice(0, PREVIEW_CHARACTERS).replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
    return line + (message.truncated || text.length > PREVIEW_CHARACTERS ? " …" : "");
}

/** @param rows messages as a search or a stream gives them, with their sizes */
export function MessageTable({rows, empty}) {
    const columns = [
        {id: "offset", title: t("offset"), head: true, class: "numbers", cell: row =>
            html`<${RowButton} text=${`${row.partition}:${row.offset}`}
            of=${t("message.open")} onClick=${() => change({m: `${row.partition}.${row.offset}`}, false)} />`},
        {id: "time", title: t("time"), cell: row =>
            html`<${Time} precise at=${row.appendTimestamp ?? row.timestamp} />`},
        {id: "key", title: t("key"), class: "key", cell: row =>
            row.key ?? html`<span class="quiet">${t("message.noKey")}</span>`},
        {id: "value", title: t("value"), class: "value", cell: row => html`<code>${preview(row)}</code>
            ${row.base64 !== undefined && html` <span class="badge">${t("message.binary")}</span>`}`},
        {id: "size", title: t("size"), end: true, wide: true, cell: row => bytes(row.size)},
    ];
    return html`<div class="messages"><${Table} caption=${t("messages")} columns=${columns} rows=${rows}
        rowKey=${row => `${row.partition}.${row.offset}`} empty=${empty || t("messages.none")} /></div>`;
}
