// SPDX-License-Identifier: Apache-2.0
/** Browsing and searching: a page of messages from somewhere on. What is filtered is looked for at the server. */
import {bytes, number} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useEffect, useMemo, useState} from "../lib.js";
import {ErrorNote} from "../parts/error.js";
import {SelectField, whole} from "../parts/form.js";
import {change, href, useRoute} from "../route.js";
import {useSearch} from "../search.js";
import {isPath} from "./columns.js";
import {MessageTable} from "./messagetable.js";
import {pagePlan} from "./pageplan.js";
import {
    FilterFields, FILTERS, filterCount, hasWrongNumber, isBackward, isFiltered, PartitionField, StartFields,
} from "./range.js";
import {SavedFilters} from "./savedfilters.js";

const SIZES = ["25", "50", "100", "200", "500"];
const MOST_ROWS = 1000; // that an address may ask for
const SHOWN_BYTES = 2048; // of a value in the list: a line of it is seen
const FIELD_BYTES = 32 * 1024; // of a value of which fields are shown: of a part of JSON none is
const NAMES = ["p", "from", "to", "n", "older", ...FILTERS];

export function Browse({topic, query, columns}) {
    const [again, setAgain] = useState(0);
    const range = Object.fromEntries(NAMES.map(name => [name, query[name] ?? ""]));
    const limit = Math.min(MOST_ROWS, whole(range.n) || 50);
    const maxValueBytes = columns.some(isPath) ? FIELD_BYTES : SHOWN_BYTES;
    const inputs = [...NAMES.map(name => range[name]), maxValueBytes];
    const plan = async signal => {
        const {query: asked, next} = await pagePlan(topic, range, limit, signal);
        return {query: {...asked, maxValueBytes}, next};
    };
    const found = useSearch(topic.name, plan, [...inputs, again]);
    return html`<${RangeForm} topic=${topic} range=${range} onShow=${() => setAgain(count => count + 1)} />
        <${Outcome} range=${range} found=${found} />
        <${ErrorNote} error=${found.error} retry=${() => setAgain(count => count + 1)} />
        <${Found} topic=${topic} range=${range} found=${found} columns=${columns} />`;
}

function RangeForm({topic, range, onShow}) {
    const [draft, setDraft] = useState(range);
    useEffect(() => setDraft(range), NAMES.map(name => range[name]));
    const edit = values => setDraft(before => ({...before, ...values}));
    const submit = event => {
        event.preventDefault();
        if (NAMES.every(name => draft[name] === range[name])) {
            onShow();
        } else {
            change({...draft, older: "", m: ""}, false);
        }
    };
    const filters = filterCount(range);
    const use = values => change({...draft, ...values, older: "", m: ""}, false);
    return html`<form class="panel stack" role="search" aria-label=${t("messages.browse")} onSubmit=${submit}>
        <div class="fields">
            <${PartitionField} value=${draft.p} count=${topic.partitions} onChange=${p => edit({p})} />
            <${StartFields} from=${draft.from} onChange=${from => edit({from})} />
            <${SelectField} label=${t("messages.perPage")} value=${draft.n || "50"}
                onChange=${n => edit({n: n === "50" ? "" : n})}
                options=${SIZES.map(each => [each, each])} />
        </div>
        <details open=${filters > 0}><summary>${filters > 0 ? tn("filter.on", filters) : t("filter")}</summary>
            <div class="stack"><${FilterFields} range=${draft} onChange=${edit} />
                <${SavedFilters} key=${topic.name} topic=${topic.name} range=${draft} onChoose=${use} /></div></details>
        <div class="row"><button type="submit" class="main"
            disabled=${hasWrongNumber(draft)}>${t("show")}</button>
            ${filters > 0 && html`<button type="button"
                onClick=${() => change({...Object.fromEntries(FILTERS.map(each => [each, ""])), to: "", older: ""},
                    false)}>
                ${t("filter.clear")}</button>`}</div>
    </form>`;
}

/** How far the search is, and why it has ended. */
function Outcome({range, found}) {
    const {end, progress, running, stopped, messages} = found;
    const looked = end ?? progress;
    const filtered = isFiltered(range);
    return html`<div class="row spread">
        <p role="status" class=${running ? "spin" : "quiet"}>
            ${running ? t("search.running") : stopped ? t("search.stopped") : end ? outcome(end.reason, range) : ""}
            ${" "}${filtered && looked
                ? tn("search.looked", messages.length, {scanned: number(looked.scanned), size: bytes(looked.bytes)})
                : tn("messages.count", messages.length)}
            ${end?.skipped > 0 && html`<strong> ${tn("search.skipped", end.skipped)}</strong>`}
        </p>
        ${running && html`<button type="button" onClick=${found.stop}>${t("stop")}</button>`}
        ${running && filtered && html`<progress class="wide" aria-label=${t("search.running")}></progress>`}
    </div>`;
}

function outcome(reason, range) {
    const filtered = isFiltered(range);
    const bound = text => isBackward(range) ? t("search.bound", {button: t("messages.older")}) : text;
    const texts = {end: () => filtered ? t("search.end") : "", limit: () => filtered ? t("search.limit") : "",
        bytes: () => bound(t("search.bytes")), time: () => bound(t("search.time")), quota: () => t("search.quota")};
    return (texts[reason] ?? (() => ""))();
}

function Found({topic, range, found, columns}) {
    const {query} = useRoute();
    const newestFirst = isBackward(range);
    const rows = useMemo(() => [...found.messages].sort(newestFirst ? newer : older), [found.messages, newestFirst]);
    useEffect(() => {
        neighbors.rows = rows;
    }, [rows]);
    if (rows.length === 0 && (found.running || found.error)) {
        return null;
    }
    const {next} = found;
    const page = places => href(["topics", topic.name, "messages"], {...query, ...places, m: ""});
    const whole = range.from === "" && range.older === "" && range.p === "" && range.to === "" && !isFiltered(range);
    return html`<${MessageTable} rows=${rows} columns=${columns} empty=${whole && t("messages.noneYet")} />
        <div class="row">
            ${(range.from !== "" || range.older !== "") && html`<a class="button"
                href=${page({from: "", older: ""})}>${t("messages.toNewest")}</a>`}
            ${next && html`<a class="button" href=${page(newestFirst ? {older: next} : {from: next})}>
                ${newestFirst ? t("messages.older") : t("messages.next")}</a>`}
        </div>`;
}

function newer(one, other) {
    return when(other) - when(one) || one.partition - other.partition || other.offset - one.offset;
}

function older(one, other) {
    return when(one) - when(other) || one.partition - other.partition || one.offset - other.offset;
}

/** When a message was stored, in milliseconds since 1970. */
function when(message) {
    return message.appendTimestamp ?? message.timestamp ?? 0;
}

/** The messages that the list shows now, so that the one that is open can lead to those beside it. */
export const neighbors = {rows: []};
