// SPDX-License-Identifier: Apache-2.0
/** A table of messages, each with the beginning of what it holds, or with the columns that the reader has chosen. */
import {bytes, NONE} from "../format.js";
import {t} from "../i18n.js";
import {parsePath, valuesAt} from "../jsonpath.js";
import {isJson} from "../jsontext.js";
import {html} from "../lib.js";
import {RowButton} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {Time} from "../parts/time.js";
import {change} from "../route.js";
import {headerOf, isPath, TITLES, WrongColumns} from "./columns.js";

const PREVIEW_CHARACTERS = 200;
const MOST_VALUES = 10; // of a path with * in one cell
const texts = new WeakMap(); // of messages that are JSON, so that each is checked once
const fields = new WeakMap(); // of messages, by path: the table is drawn again and again while messages come

/** The beginning of a text on one line. */
function line(text, more) {
    const shown = text.slice(0, PREVIEW_CHARACTERS).replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
    return shown + (more || text.length > PREVIEW_CHARACTERS ? " …" : "");
}

/** The beginning of a message's value on one line. */
export function preview(message) {
    return line(message.value ?? message.base64 ?? "", message.truncated);
}

/** The text of a message that is JSON, or undefined. */
function jsonOf(message) {
    if (!texts.has(message)) {
        texts.set(message, message.value !== undefined && isJson(message.value) ? message.value : undefined);
    }
    return texts.get(message);
}

/** Returns the field of a message, which is read once. */
function fieldOf(message, path, steps) {
    if (message.truncated) {
        return html`<span class="quiet">${t("columns.cut")}</span>`;
    }
    const known = fields.get(message) ?? new Map();
    fields.set(message, known);
    if (!known.has(path)) {
        known.set(path, readField(message, steps));
    }
    return known.get(path);
}

/** Texts without their quotes, everything else as it is written. */
function readField(message, steps) {
    const json = jsonOf(message);
    const values = json === undefined || !steps ? [] : valuesAt(json, steps);
    const shown = values.slice(0, MOST_VALUES).map(each => each[0] === "\"" ? JSON.parse(each) : each).join(", ");
    return values.length === 0 ? NONE : line(shown, values.length > MOST_VALUES);
}

function headerValue(message, name) {
    const found = Object.entries(message.headers ?? {}).find(([each]) => each.toLowerCase() === name.toLowerCase());
    return found ? line(found[1]) : NONE;
}

const SHOWN = {
    time: {cell: row => html`<${Time} precise at=${row.appendTimestamp ?? row.timestamp} />`},
    key: {class: "key", cell: row => row.key ?? html`<span class="quiet">${t("message.noKey")}</span>`},
    tag: {class: "key", cell: row => row.tag ?? NONE},
    value: {class: "value", cell: row => html`<code>${preview(row)}</code>
        ${row.base64 !== undefined && html` <span class="badge">${t("message.binary")}</span>`}`},
    size: {end: true, wide: true, cell: row => bytes(row.size)},
};

function columnOf(id) {
    if (isPath(id)) {
        const {steps} = parsePath(id);
        return {id, title: id, class: "key", cell: row => fieldOf(row, id, steps)};
    }
    const header = headerOf(id);
    return header ? {id, title: header, class: "key", cell: row => headerValue(row, header)}
        : {id, title: TITLES[id](), ...SHOWN[id]};
}

/**
 * @param rows messages as a search or a stream gives them, with their sizes
 * @param columns as of useColumns
 */
export function MessageTable({rows, columns, empty}) {
    const place = {id: "offset", title: t("offset"), head: true, class: "numbers", cell: row =>
        html`<${RowButton} text=${`${row.partition}:${row.offset}`}
        of=${t("message.open")} onClick=${() => change({m: `${row.partition}.${row.offset}`}, false)} />`};
    return html`<div class="messages"><${WrongColumns} columns=${columns} />
        <${Table} caption=${t("messages")} columns=${[place, ...columns.map(columnOf)]} rows=${rows}
        rowKey=${row => `${row.partition}.${row.offset}`} empty=${empty || t("messages.none")} /></div>`;
}
