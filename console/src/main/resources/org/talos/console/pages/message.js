// SPDX-License-Identifier: Apache-2.0
/** One message: what it has beside its bytes, and its bytes as JSON, text or numbers; of a large one a beginning. */
import {ApiError, at, get, request} from "../api.js";
import {decoded} from "../binary.js";
import {bytes, number} from "../format.js";
import {t} from "../i18n.js";
import {html, useEffect, useMemo, useState} from "../lib.js";
import {Dialog} from "../parts/dialog.js";
import {ErrorNote, Loaded} from "../parts/error.js";
import {Copy} from "../parts/form.js";
import {HexView} from "../parts/hex.js";
import {isTree, JsonView} from "../parts/json.js";
import {Time} from "../parts/time.js";
import {useAction, usePoll} from "../poll.js";
import {change} from "../route.js";
import {saveBlob} from "../save.js";
import {search} from "../search.js";
import {neighbors} from "./browse.js";
import {contentOf} from "./content.js";
import {MOST_FILE_BYTES, refuse} from "./put.js";
import {againOf} from "./putagain.js";

const FIRST_BYTES = 64 * 1024;
const MOST_BYTES = 4 * 1024 * 1024;
const MORE = 8; // times as much with each click
const TEXT_CHARACTERS = 512 * 1024; // that a page lays out without a stop; more can be seen as numbers, or saved

/** @param onAgain gets what is to be put again, as of againOf */
export function MessageDialog({topic, partition, offset, view, onAgain, onClose}) {
    const [most, setMost] = useState(FIRST_BYTES);
    useEffect(() => setMost(FIRST_BYTES), [topic.name, partition, offset]);
    const found = usePoll(({signal}) => one(topic.name, partition, offset, most, signal), 0,
        [topic.name, partition, offset]);
    useEffect(() => {
        if (most > FIRST_BYTES) {
            found.refresh();
        }
    }, [most]);
    return html`<${Dialog} wide title=${t("message.title", {partition, offset})} onClose=${onClose}>
        <${Loaded} from=${found}>${message => html`<${Facts} message=${message} />
            <${Body} message=${message} view=${view}
                onMore=${most < MOST_BYTES ? () => setMost(Math.min(MOST_BYTES, most * MORE)) : undefined} />`}<//>
        <${Buttons} topic=${topic.name} partition=${partition} offset=${offset} size=${found.data?.size}
            onAgain=${onAgain} onClose=${onClose} />
    <//>`;
}

/** The message at an offset, with at most this number of its bytes. */
async function one(topic, partition, offset, maxValueBytes, signal) {
    const query = {partitions: partition, from: offset, to: Number(offset) + 1, limit: 1, maxValueBytes};
    for await (const line of search(topic, query, signal)) {
        if (line.message) {
            return line.message;
        }
    }
    throw new ApiError({status: 416, code: "message-offset-out-of-range"});
}

function Facts({message}) {
    const headers = Object.entries(message.headers ?? {});
    return html`<dl class="facts">
        <div><dt>${t("time.appended")}</dt><dd><${Time} precise at=${message.appendTimestamp} relative /></dd></div>
        <div><dt>${t("time.made")}</dt><dd><${Time} precise at=${message.timestamp} /></dd></div>
        <div><dt>${t("key")}</dt><dd
            class="break mono">${message.key ?? html`<span class="quiet">${t("message.noKey")}</span>`}</dd></div>
        ${message.tag !== undefined && html`<div><dt>${t("tag")}</dt><dd class="break mono">${message.tag}</dd></div>`}
        <div><dt>${t("size")}</dt><dd>${bytes(message.size)}</dd></div>
    </dl>
    ${headers.length > 0 && html`<details open><summary>${t("headers")} (${headers.length})</summary>
        <dl class="facts">${headers.map(([name, value]) =>
            html`<div key=${name}><dt class="mono">${name}</dt><dd class="break mono">${value}</dd></div>`)}</dl>
    </details>`}`;
}

function Body({message, view, onMore}) {
    const content = useMemo(() => contentOf(message), [message]);
    const tree = useMemo(() => content.text !== undefined && !message.truncated && isTree(content.text), [content]);
    const formats = useMemo(() => message.truncated ? [] : decoded(content.bytes, contentType(message)), [content]);
    const others = formats.filter(each => content.text === undefined || each.isNamed);
    const views = [...(tree ? [["json", t("message.json")]] : []), ...others.map(({id, title}) => [id, title]),
        ...(content.text === undefined ? [] : [["text", t("message.text")]]), ["hex", t("message.hex")]];
    const shown = views.some(([id]) => id === view) ? view : views[0][0];
    const format = others.find(({id}) => id === shown);
    return html`<div class="stack">
        <div class="row spread">
            <div class="row" role="group"
                aria-label=${t("message.view")}>${views.map(([id, title]) => html`<button type="button" key=${id}
                aria-pressed=${String(id === shown)} onClick=${() => change({view: id})}>${title}</button>`)}</div>
            ${content.text !== undefined && !message.truncated
                && html`<${Copy} text=${content.text} label=${t("message.copy")} />`}
        </div>
        ${shown === "json" && html`<${JsonView} text=${content.text} />`}
        ${format && html`<${JsonView} key=${format.id} text=${format.text} />`}
        ${shown === "text" && html`<pre class="text" tabindex="0" role="group"
            aria-label=${t("message.text")}>${content.text.slice(0, TEXT_CHARACTERS)}</pre>`}
        ${shown === "text" && content.text.length > TEXT_CHARACTERS && html`<p role="status">${t("message.cut",
            {n: number(TEXT_CHARACTERS)})}</p>`}
        ${shown === "hex" && html`<${HexView} bytes=${content.bytes} />`}
        ${message.truncated && html`<p class="row"
            role="status"><span>${t("message.truncated",
                {shown: bytes(content.bytes.length), size: bytes(message.size)})}</span>
            ${onMore && html`<button type="button" onClick=${onMore}>${t("message.more")}</button>`}</p>`}
    </div>`;
}

function contentType(message) {
    return Object.entries(message.headers ?? {}).find(([name]) => name.toLowerCase() === "content-type")?.[1];
}

/** All bytes of a message. If its headers are too large for the head of an answer, only JSON has them. */
async function wholeMessage(path) {
    try {
        return await (await request(path, {timeout: 0})).blob();
    } catch (error) {
        if (error.status !== 406) {
            throw error;
        }
        return contentOf(await inJson(path, {as: "base64"})).bytes;
    }
}

/** All of a message, in JSON. */
function inJson(path, query) {
    return get(path, query, {timeout: 0, headers: {Accept: "application/json"}});
}

function Buttons({topic, partition, offset, size, onAgain, onClose}) {
    const index = neighbors.rows.findIndex(each => String(each.partition) === partition
        && String(each.offset) === offset);
    const beside = step => index < 0 ? undefined : neighbors.rows[index + step];
    const path = at`topics/${topic}/partitions/${partition}/messages/${offset}`;
    const again = useAction(async () =>
        onAgain(againOf(size > MOST_FILE_BYTES ? refuse(t("put.againTooLarge")) : await inJson(path, {}))));
    const saving = useAction(async () => {
        const whole = await wholeMessage(path);
        saveBlob(new Blob([whole], {type: "application/octet-stream"}), `${topic}-${partition}-${offset}`);
    });
    const open = message => change({m: `${message.partition}.${message.offset}`});
    return html`<${ErrorNote} error=${saving.error ?? again.error} />
        <footer>
            ${index >= 0 && html`<button type="button" disabled=${!beside(-1)}
                onClick=${() => open(beside(-1))}>${t("previous")}</button>
                <button type="button" disabled=${!beside(1)} onClick=${() => open(beside(1))}>${t("next")}</button>`}
            <${Copy} text=${location.href} label=${t("message.link")} />
            <button type="button" disabled=${saving.busy} onClick=${() => saving.run()}>${saving.busy ? t("busy")
                : t("message.save")}</button>
            ${size !== undefined && html`<button type="button" disabled=${again.busy}
                onClick=${() => again.run()}>${t("put.again")}</button>`}
            <button type="button" class="main" onClick=${onClose}>${t("close")}</button>
        </footer>`;
}
