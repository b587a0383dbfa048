// SPDX-License-Identifier: Apache-2.0
/** Downloads a range of messages as JSON lines, in the form in which lines are put, one search after another. */
import {at, isAborted, readError, request} from "../api.js";
import {bytes} from "../format.js";
import {t, tn} from "../i18n.js";
import {byteLines} from "../lines.js";
import {html, useEffect, useRef, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {SelectField, TextField, whole} from "../parts/form.js";
import {useAction} from "../poll.js";
import {saveBlob} from "../save.js";
import {
    backwardQuery, complete, FilterFields, hasWrongNumber, isBackward, isFiltered, PartitionField, searchQuery,
    StartFields,
} from "./range.js";

const AT_ONCE = 10_000; // messages of one search, as many as REST gives
const MOST_BYTES = 512 * 1024 * 1024; // that the browser is given to keep until it writes the file
const PIECE_BYTES = 4 * 1024 * 1024;
const DRAW_MILLIS = 200;
const QUOTA_MILLIS = 2000; // until a search is tried again that the quota for gets has ended
const SHORT_BYTES = 4096; // longer than any line that is not a message
const LINE_END = new Uint8Array([10]);

export function DownloadDialog({topic, query, onClose}) {
    const [range, setRange] = useState(query);
    const [count, setCount] = useState("10000");
    const [form, setForm] = useState("auto");
    const [state, setState] = useState();
    const controller = useRef(new AbortController());
    useEffect(() => () => controller.current.abort(), []);
    const edit = values => setRange(before => ({...before, ...values}));
    const saving = useAction(async () => {
        controller.current = new AbortController();
        const collected = collector(setState, isFoundBackward(range));
        let failure;
        try {
            await collect(topic, complete(range), {limit: whole(count), as: form}, collected,
                controller.current.signal);
        } catch (error) {
            failure = isAborted(error) ? undefined : error;
        }
        if (!failure || collected.state.messages > 0) { // what has come is kept, whatever ended it
            saveBlob(collected.blob(), `${topic.name}.jsonl`);
        }
        if (failure) {
            throw failure;
        }
        return true;
    });
    const wrong = !(whole(count) >= 1);
    return html`<${Dialog} wide title=${t("download.title")} onClose=${onClose} onSubmit=${() => saving.run()}>
        <p>${t("download.text")}</p>
        <div class="fields">
            <${PartitionField} value=${range.p} count=${topic.partitions} onChange=${p => edit({p})} />
            <${StartFields} from=${range.from} onChange=${from => edit({from, older: ""})} />
            <${TextField} label=${t("download.count")} name="count" inputmode="numeric" value=${count}
                onChange=${setCount} wrong=${wrong && t("wrong.number")} />
            <${SelectField} label=${t("download.form")} name="as" value=${form} onChange=${setForm}
                options=${[["auto", t("download.auto")], ["json", t("download.json")], ["base64", "base64"]]} />
        </div>
        <details><summary>${t("filter")}</summary><${FilterFields} range=${range} onChange=${edit} /></details>
        ${state && html`<p role="status">${tn("download.progress", state.messages, {size: bytes(state.bytes)})}
            ${state.waits && ` ${t("download.waits")}`}
            ${state.full && html` <strong>${t("download.full",
                {size: bytes(MOST_BYTES), next: state.next ?? ""})}</strong>`}</p>`}
        ${saving.busy && html`<div class="row"><progress aria-label=${t("download.title")} max=${whole(count)}
            value=${state?.messages ?? 0}></progress>
            <button type="button" onClick=${() => controller.current.abort()}>${t("download.stop")}</button></div>`}
        <${ErrorNote} error=${saving.error} />
        <${DialogButtons} onClose=${onClose} action=${t("download")} busy=${saving.busy}
            disabled=${wrong || hasWrongNumber(range)} />
    <//>`;
}

/** Whether the newest are looked for; a file has them in the order in which they were put, as all others. */
function isFoundBackward(range) {
    return isBackward(range) && Boolean(isFiltered(range) || range.older);
}

/** Keeps lines in pieces that the browser may put on its disk; of those that come newest first the last is first. */
function collector(report, newestFirst) {
    const pieces = [];
    let lines = [];
    let waiting = 0;
    let drawn = 0;
    const state = {messages: 0, bytes: 0};
    const flush = () => {
        pieces.push(new Blob((newestFirst ? lines.reverse() : lines).flat()));
        lines = [];
        waiting = 0;
    };
    return {
        state,
        wait(waits) {
            state.waits = waits;
            report({...state});
        },
        add(line) {
            lines.push([line.slice(), LINE_END]);
            waiting += line.length + 1;
            state.messages++;
            state.bytes += line.length + 1;
            if (waiting > PIECE_BYTES) {
                flush();
            }
            if (performance.now() - drawn > DRAW_MILLIS) {
                drawn = performance.now();
                report({...state});
            }
        },
        blob() {
            flush();
            state.waits = false;
            report({...state});
            return new Blob(newestFirst ? [...pieces].reverse() : pieces, {type: "application/x-ndjson"});
        },
    };
}

async function collect(topic, range, {limit, as}, collected, signal) {
    const {state} = collected;
    const newest = isFoundBackward(range);
    let {from, limit: most} = newest ? {from: range.older, limit}
        : searchQuery(range, limit, topic.partitions); // of all, not of the first search alone
    do {
        const atOnce = Math.min(most - state.messages, AT_ONCE);
        const places = newest ? backwardQuery({...range, older: from}, atOnce)
            : searchQuery({...range, from}, atOnce, topic.partitions);
        const query = {...places, as, maxBytes: 1 << 30, maxSeconds: 300, maxValueBytes: 64 << 20};
        const response = await request(at`topics/${topic.name}/search`, {query, signal, timeout: 0});
        let end = {};
        for await (const line of byteLines(response)) {
            const news = line.length < SHORT_BYTES ? newsOf(line) : undefined;
            if (news === undefined) {
                collected.add(line);
            } else {
                end = news.end ?? end;
            }
        }
        from = state.next = end.next;
        state.full = from !== undefined && state.bytes > MOST_BYTES;
        if (end.reason === "quota") {
            collected.wait(true);
            await pause(QUOTA_MILLIS, signal);
            collected.wait(false);
        }
    } while (from !== undefined && state.messages < most && !state.full);
}

/** Lets some time pass, unless it is stopped. */
function pause(millis, signal) {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, millis);
        signal.addEventListener("abort", () => {
            clearTimeout(timer);
            reject(signal.reason);
        }, {once: true});
    });
}

/** The problem or end of a line that is not a message; undefined for a message. */
function newsOf(line) {
    const text = new TextDecoder().decode(line);
    if (!/^\{"(progress|end|problem)"/.test(text)) {
        return undefined;
    }
    const news = JSON.parse(text);
    if (news.problem) {
        throw readError(news.problem);
    }
    return news;
}
