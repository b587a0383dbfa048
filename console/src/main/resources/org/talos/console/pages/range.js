// SPDX-License-Identifier: Apache-2.0
/** Which messages are meant: partitions, where they begin and end, and what they must have. */
import {wantsUtc} from "../format.js";
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {SelectField, TextField, whole} from "../parts/form.js";
import {Conditions, conditionsOf} from "./conditions.js";

const ISO = /^\d{4}-\d{2}-\d{2}T/;
const ZONED = /(Z|[+-]\d{2}:?\d{2})$/;
const POSITIONS = /^\d+:\d+(,\d+:\d+)*$/;
const BEFORE = "latest-";

/** The names that a range has in the address; those of {@link FILTERS} are the same in a search. */
export const FILTERS = ["key", "header", "text", "jsonPath", "where"];

/**
 * Returns the parameters of a search for a range of the address, from older to newer messages, at most `limit`. The
 * newest are taken evenly from all partitions, and are a few more if the limit does not divide: otherwise the search
 * would end before the last partition.
 */
export function searchQuery(range, limit, partitions) {
    const all = range.p === undefined || range.p === "";
    const count = all ? partitions : range.p.split(",").length;
    const each = Math.ceil(limit / count);
    return {
        from: range.from || `${BEFORE}${each}`,
        to: range.to,
        partitions: range.p,
        limit: range.from ? limit : each * count,
        ...filtersOf(range),
    };
}

/**
 * Returns the parameters of a search for the newest `limit` messages of a range, or for those before `older`, where the
 * previous page ended.
 */
export function backwardQuery(range, limit) {
    return {
        direction: "backward",
        from: range.older || range.to,
        to: range.from,
        partitions: range.p,
        limit,
        ...filtersOf(range),
    };
}

function filtersOf(range) {
    return Object.fromEntries(FILTERS.map(name => [name, range[name]]));
}

/** Whether a range is searched from its newest message to its oldest: its end is meant, not its beginning. */
export function isBackward(range) {
    return ["newest", "before"].includes(startOf(range.from));
}

/** Whether a range asks for more than a place to begin: then the server has to look through messages. */
export function isFiltered(range) {
    return FILTERS.some(name => range[name]);
}

/** How many conditions a range has. */
export function filterCount(range) {
    const others = FILTERS.filter(name => name !== "where" && range[name]).length + (range.to ? 1 : 0);
    return others + (range.where ? Math.max(1, conditionsOf(range.where).length) : 0);
}

/** How a beginning of the address was chosen: newest, earliest, before (n before the end), offset, time, positions. */
export function startOf(from = "") {
    if (from === "") {
        return "newest";
    }
    if (from === "earliest") {
        return "earliest";
    }
    return from.startsWith(BEFORE) ? "before" : ISO.test(from) ? "time" : POSITIONS.test(from) ? "positions"
        : "offset";
}

/** Whether the number before the end, or the offset, is no number. An empty number before the end is not meant. */
export function hasWrongNumber({from}) {
    const kind = startOf(from);
    return kind === "before" ? from !== BEFORE && !(whole(from.slice(BEFORE.length)) >= 1)
        : kind === "offset" && /^\d+$/.test(from) && Number.isNaN(whole(from));
}

/** A range whose number is empty or wrong begins as one without a beginning: an address may have any. */
export function complete(range) {
    return range.from === BEFORE || hasWrongNumber(range) ? {...range, from: ""} : range;
}

/** A field for one partition or all. A list, which only an address can have, stays what it is. */
export function PartitionField({value = "", count, onChange, all = t("partitions.all")}) {
    const numbers = Array.from({length: count}, (each, index) => [String(index), String(index)]);
    const listed = value !== "" && !numbers.some(([each]) => each === value) ? [[value, value]] : [];
    return html`<${SelectField} label=${t("partition")} value=${value} onChange=${onChange} name="partition"
        options=${[["", all], ...listed, ...numbers]} />`;
}

/** Fields for where to begin. */
export function StartFields({from = "", onChange}) {
    const kind = startOf(from);
    const choose = chosen => onChange({newest: "", earliest: "earliest", before: `${BEFORE}100`, offset: "0",
        time: new Date(Date.now() - 3_600_000).toISOString(), positions: from}[chosen]);
    const wrong = hasWrongNumber({from}) && t("wrong.number");
    const options = [["newest", t("from.newest")], ["earliest", t("from.earliest")], ["before", t("from.before")],
        ["offset", t("from.offset")], ["time", t("from.time")],
            ...(kind === "positions" ? [["positions", t("from.positions")]] : [])];
    return html`<${SelectField} label=${t("from")} name="from" value=${kind} onChange=${choose} options=${options} />
        ${kind === "before" && html`<${TextField} label=${t("from.count")} name="before" inputmode="numeric"
            value=${from.slice(BEFORE.length)} wrong=${wrong}
            onChange=${text => onChange(BEFORE + text.replace(/\D/g, ""))} />`}
        ${kind === "offset" && html`<${TextField} label=${t("offset")} name="offset" inputmode="numeric" value=${from}
            wrong=${wrong} onChange=${text => onChange(text.replace(/\D/g, "") || "0")} />`}
        ${kind === "time" && html`<${TimeField} label=${t("time")} value=${from}
            onChange=${time => time && onChange(time)} />`}`; // while a part of it is missing, the previous time holds
}

/** A moment, typed in the zone that the reader has chosen; value and onChange have it as ISO text. */
export function TimeField({label, value, onChange}) {
    const utc = wantsUtc();
    const set = text => {
        const moment = new Date(utc ? `${text}Z` : text);
        onChange(Number.isNaN(moment.getTime()) ? "" : moment.toISOString());
    };
    return html`<${TextField} label=${`${label} (${utc ? "UTC" : t("zone.local")})`} type="datetime-local" step="1"
        value=${typed(value, utc)} onChange=${set} />`;
}

/** A moment as the field has it; nothing of what is none, as an address may have an offset here, or how long ago. */
function typed(value, utc) {
    const date = new Date(ZONED.test(value) ? value : `${value}Z`); // without a zone it is of UTC, as for REST
    if (!ISO.test(value) || Number.isNaN(date.getTime())) {
        return "";
    }
    const shifted = utc ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
    return shifted.toISOString().slice(0, 19);
}

/** Fields for what the messages must have. */
export function FilterFields({range, onChange}) {
    const field = (name, label, hint) =>
        html`<${TextField} label=${label} hint=${hint} name=${name} value=${range[name] ?? ""}
        onChange=${text => onChange({[name]: text})} />`;
    return html`<div class="stack"><div class="fields">
        ${field("text", t("filter.text"), t("filter.textHint"))}
        ${field("key", t("key"), t("filter.keyHint"))}
        ${field("header", t("filter.header"), t("filter.headerHint"))}
        ${field("jsonPath", t("filter.path"), t("filter.pathHint"))}
        <${TimeField} label=${t("filter.to")} value=${range.to ?? ""} onChange=${to => onChange({to})} />
    </div><${Conditions} where=${range.where ?? ""} onChange=${where => onChange({where})} /></div>`;
}
