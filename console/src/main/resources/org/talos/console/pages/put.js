// SPDX-License-Identifier: Apache-2.0
/** The dialog that puts messages: one or several of a form, or lines as the download has them. */
import {ApiError, at, request} from "../api.js";
import {t, tn} from "../i18n.js";
import {isJson, partsOf} from "../jsontext.js";
import {html, useMemo, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {AreaField, Field, SelectField, TextField} from "../parts/form.js";
import {toast} from "../parts/toast.js";
import {useAction} from "../poll.js";
import {href} from "../route.js";
import {withLineEnds} from "./putagain.js";
import {PartitionField} from "./range.js";

export const MOST_FILE_BYTES = 10 * 1024 * 1024;
const EMPTY = {form: "text", value: "", key: "", tag: "", headers: "", file: undefined};
const CONTENT_TYPE = "content-type";
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/; // a name that HTTP can carry

/** @param again a stored message that is put again, as of againOf; undefined for new messages */
export function PutDialog({topic, again, onClose}) {
    const [partition, setPartition] = useState("");
    const [several, setSeveral] = useState(false);
    const [messages, setMessages] = useState([{...EMPTY, ...again?.message, id: 0}]);
    const [lines, setLines] = useState("");
    const [stored, setStored] = useState();
    const [round, setRound] = useState(0);
    // Of the put: sent again after an unknown outcome, it stores nothing twice. Another content is another put.
    const name = useMemo(newName, [messages, lines, several, partition, round]);
    const putting = useAction(async () => {
        const path = partition === "" ? at`topics/${topic.name}/messages`
            : at`topics/${topic.name}/partitions/${partition}/messages`;
        const raw = several || messages.length > 1 ? undefined : rawOf(messages[0]);
        const content = raw ?? batchOf(several ? ofLines(lines) : await Promise.all(messages.map(ofForm)));
        const response = await request(path,
            {method: "POST", ...content, headers: {...content.headers, "Idempotency-Key": name}});
        const answer = await response.json();
        return raw ? [answer] : answer.messages;
    });
    const submit = async () => {
        setStored(undefined);
        const places = await putting.run();
        if (places) {
            setStored(places);
            const done = places.filter(each => each.problem === undefined).length;
            if (done === places.length) {
                setRound(before => before + 1); // else the next press is for those that were not stored
            }
            if (done > 0) {
                toast(tn("put.stored", done));
            }
        }
    };
    const edit = (id, values) =>
        setMessages(before => before.map(each => each.id === id ? {...each, ...values} : each));
    return html`<${Dialog} wide title=${t("put.title", {topic: topic.name})} onClose=${onClose} onSubmit=${submit}>
        ${again && html`<div class="stack"><p>${t("put.againText")}</p>
            ${again.traced.length > 0 && html`<p>${t("put.traced", {names: again.traced.join(", ")})}</p>`}
            ${again.unfit.length > 0 && html`<p>${t("put.unfit", {names: again.unfit.join(", ")})}</p>`}</div>`}
        <div class="fields">
            <${PartitionField} value=${partition} count=${topic.partitions} onChange=${setPartition}
                all=${t("put.byKey")} />
            <${SelectField} label=${t("put.how")} name="how" value=${several ? "lines" : "form"}
                onChange=${value => setSeveral(value === "lines")}
                options=${[["form", t("put.form")], ["lines", t("put.lines")]]} />
        </div>
        ${several ? html`<${AreaField} label=${t("put.lines")} name="lines" hint=${t("put.linesHint")} value=${lines}
                rows="10"
                placeholder=${'{"key": "order-17", "value": "paid"}\n{"json": {"order": 18, "total": 12.5}}'}
                onChange=${setLines} />`
            : html`${messages.map((each, index) =>
                html`<${MessageFields} key=${each.id} message=${each} number=${index + 1}
                    count=${messages.length} onChange=${values => edit(each.id, values)}
                    onRemove=${() => setMessages(before => before.filter(other => other.id !== each.id))} />`)}
                <div><button type="button"
                    onClick=${() => setMessages(before => [...before, {...EMPTY, id: before.at(-1).id + 1}])}>
                    ${t("put.another")}</button></div>`}
        ${stored && html`<${Stored} topic=${topic.name} places=${stored} />`}
        <${ErrorNote} error=${putting.error} />
        <${DialogButtons} onClose=${onClose} action=${t("put")} busy=${putting.busy} done=${stored !== undefined} />
    <//>`;
}

function MessageFields({message, number, count, onChange, onRemove}) {
    const [tooLarge, setTooLarge] = useState(false);
    const read = event => {
        const [file] = event.target.files;
        setTooLarge(file?.size > MOST_FILE_BYTES);
        onChange({file: file?.size <= MOST_FILE_BYTES ? file : undefined});
    };
    return html`<fieldset>
        <legend>${count > 1 ? t("put.number", {number}) : t("put.message")}</legend>
        <div class="stack">
            <div class="fields">
                <${SelectField} label=${t("put.format")} name="form" value=${message.form}
                    onChange=${form => onChange({form})}
                    options=${[["text", t("message.text")], ["json", "JSON"], ["base64", "base64"],
                        ...(message.kept ? [["kept", t("put.kept")]] : []), ["file", t("put.file")]]} />
                <${TextField} label=${t("key")} name="key" hint=${t("put.keyHint")} value=${message.key}
                    onChange=${key => onChange({key})} maxlength="256" />
                <${TextField} label=${t("tag")} name="tag" value=${message.tag} onChange=${tag => onChange({tag})} />
            </div>
            ${message.form === "file"
                ? html`<${Field} label=${t("put.file")} wrong=${tooLarge && t("put.tooLarge")}>${attributes =>
                    html`<input ...${attributes} type="file" onChange=${read} />`}<//>`
                : message.form !== "kept" && html`<${AreaField} label=${t("value")} name="value" value=${message.value}
                    onChange=${value => onChange({value})}
                    wrong=${message.form === "json" && message.value !== "" && !isJson(message.value)
                        && t("wrong.json")} />`}
            <${AreaField} label=${t("headers")} name="headers" hint=${t("put.headersHint")} value=${message.headers}
                rows="2"
                placeholder="trace: 4bf92f35" onChange=${headers => onChange({headers})} />
            ${count > 1 && html`<div><button type="button" class="plain"
                onClick=${onRemove}>${t("put.remove", {number})}</button></div>`}
        </div>
    </fieldset>`;
}

function Stored({topic, places}) {
    const none = places.every(each => each.problem !== undefined);
    return html`<div class=${none ? "note bad" : "note good"} role="status"><p>${tn("put.places", places.length)}</p>
        <ul>${places.map((place, index) => html`<li key=${index}>${place.problem
            ? html`<span class="badge bad">${t("put.refused")}</span> <span lang="en">${place.problem.detail}</span>`
            : html`<a href=${href(["topics", topic, "messages"],
                {p: place.partition, from: place.offset, m: `${place.partition}.${place.offset}`})}>
                ${t("put.place", {partition: place.partition, offset: place.offset})}</a>`}</li>`)}</ul>
    </div>`;
}

function newName() {
    return `console-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
}

/** Refuses before anything is sent. */
export function refuse(detail) {
    throw new ApiError({status: 400, code: "bad-request", detail, outcome: "did-not-happen"});
}

/** The bytes of a message that are not typed: of a file, or as they are stored; undefined for others. */
function bytesOf({form, file, kept}) {
    return form === "file" ? file ?? refuse(t("put.noFile")) : form === "kept" ? kept : undefined;
}

/**
 * The request for a single message whose bytes are not typed: they are sent as they are, which takes a tenth of the
 * server's memory. Undefined for any other message, for headers that HTTP cannot carry, and for stored bytes that the
 * server would refuse, because they begin as a batch.
 */
function rawOf(message) {
    const {key, tag, headers} = message;
    const named = headersOf(headers);
    const bytes = message.form === "kept" && message.isBatch ? undefined : bytesOf(message);
    if (bytes === undefined || named.some(([header, value]) => !TOKEN.test(header) || value === "")) {
        return undefined;
    }
    const typed = named.some(([header]) => header.toLowerCase() === CONTENT_TYPE);
    const given = [["Talos-Key", key], ["Talos-Tag", tag],
        ...named.map(([header, value]) => [`Talos-Header-${header}`, value])].filter(([, value]) => value !== "");
    return {
        body: bytes.slice(0, bytes.size, ""),
        headers: {...(typed || message.form === "kept" ? {} : {"Content-Type": "application/octet-stream"}),
            ...Object.fromEntries(given.map(([header, value]) => [header, encodeURIComponent(value)]))},
    };
}

/** Headers of the form, each as its name and its value. A message has each name once. */
function headersOf(text) {
    const names = new Set();
    return text.split("\n").filter(each => each.trim() !== "").map(line => {
        const colon = line.indexOf(":");
        const name = line.slice(0, Math.max(0, colon)).trim();
        if (name === "") {
            refuse(t("put.headerWrong", {line}));
        }
        if (names.has(name.toLowerCase())) {
            refuse(t("put.headerTwice", {name}));
        }
        names.add(name.toLowerCase());
        return [name, line.slice(colon + 1).trim()];
    });
}

/** The request for messages, each given as JSON. */
function batchOf(messages) {
    return {body: `{"messages":[${messages.join(",")}]}`, headers: {"Content-Type": "application/json"}};
}

/** The text of an object of members, each given as its name and the text of its value. */
function written(members) {
    return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",")}}`;
}

/**
 * The members of a message that is JSON, as REST stores it character by character: as a text that says that it is JSON.
 *
 * @param headers each as its name and the text of its value
 */
function jsonMembers(text, headers) {
    const typed = headers.some(([name]) => name.toLowerCase() === CONTENT_TYPE);
    return [["value", JSON.stringify(text)],
        ["headers", written(typed ? headers : [...headers, [CONTENT_TYPE, "\"application/json\""]])]];
}

/** A message of the form as REST takes it, in JSON. */
async function ofForm(message) {
    const {form, key, tag, headers} = message;
    const value = withLineEnds(message);
    const named = headersOf(headers).map(([name, text]) => [name, JSON.stringify(text)]);
    const others = [["key", key], ["tag", tag]].filter(([, text]) => text !== "")
        .map(([name, text]) => [name, JSON.stringify(text)]);
    if (form === "json") {
        return written([...jsonMembers(isJson(value) ? value : refuse(t("wrong.json")), named), ...others]);
    }
    const bytes = bytesOf(message);
    const content = form === "text" ? ["value", value]
        : ["base64", bytes ? await base64Of(bytes) : value.replace(/\s/g, "")];
    return written([[content[0], JSON.stringify(content[1])],
        ...(named.length > 0 ? [["headers", written(named)]] : []), ...others]);
}

const PUT_MEMBERS = ["value", "json", "base64", "key", "tag", "timestamp", "headers"];

/** Messages of lines, each in JSON; what a download has beside what can be put is left out. */
function ofLines(text) {
    const lines = text.split("\n").filter(each => each.trim() !== "");
    return lines.length === 0 ? refuse(t("put.noLines")) : lines.map((line, index) => {
        if (!isJson(line) || !line.trim().startsWith("{")) {
            refuse(t("put.lineWrong", {line: index + 1}));
        }
        const members = membersOf(line.trim());
        if (members.some(([name, value]) => name === "truncated" && value === "true")) {
            refuse(t("put.lineCut", {line: index + 1})); // its beginning would be stored for the whole
        }
        return written(asText(members.filter(([name]) => PUT_MEMBERS.includes(name))));
    });
}

/** The members of an object, each as its name and the text of its value. */
function membersOf(object) {
    return partsOf(object).map(({name, text: value}) => [JSON.parse(name), value]);
}

/** The members of a message, its JSON as a text if it has one. What is wrong with them is for the server to say. */
function asText(members) {
    const json = members.filter(([name]) => name === "json");
    const headers = members.filter(([name]) => name === "headers");
    const others = members.filter(([name]) => name !== "json" && name !== "headers");
    if (json.length !== 1 || json[0][1] === "null" || headers.length > 1
        || headers.some(([, value]) => value[0] !== "{")) {
        return members;
    }
    return [...jsonMembers(json[0][1], headers.flatMap(([, value]) => membersOf(value))), ...others];
}

function base64Of(file) {
    return new Promise((resolve, reject) => {
        const reader = new FileReader();
        reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
        reader.onerror = () => reject(reader.error);
        reader.readAsDataURL(file);
    });
}
