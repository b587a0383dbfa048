// SPDX-License-Identifier: Apache-2.0
/** The messages of a topic: browsed and searched, or as they come; and put, and downloaded. */
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {change, useRoute} from "../route.js";
import {Browse} from "./browse.js";
import {ColumnsDialog, useColumns} from "./columns.js";
import {DownloadDialog} from "./download.js";
import {MessageDialog} from "./message.js";
import {PutDialog} from "./put.js";
import {Tail} from "./tail.js";

export default function Messages({topic}) {
    const {query} = useRoute();
    const columns = useColumns(topic.name);
    const [dialog, setDialog] = useState();
    const tailing = query.mode === "tail";
    const [partition, offset] = (query.m ?? "").split(".");
    const [again, setAgain] = useState();
    const close = () => setDialog(undefined);
    return html`<div class="stack">
        <div class="row spread">
            <div class="row" role="group" aria-label=${t("messages.mode")}>
                <button type="button" aria-pressed=${String(!tailing)}
                    onClick=${() => change({mode: ""}, false)}>${t("messages.browse")}</button>
                <button type="button" aria-pressed=${String(tailing)}
                    onClick=${() => change({mode: "tail"}, false)}>${t("messages.tail")}</button>
            </div>
            <div class="row">
                <button type="button" onClick=${() => setDialog("columns")}>${t("columns")}</button>
                <button type="button" onClick=${() => setDialog("download")}>${t("download")}</button>
                <button type="button" class="main" onClick=${() => setDialog("put")}>${t("put")}</button>
            </div>
        </div>
        ${tailing ? html`<${Tail} topic=${topic} query=${query} columns=${columns} />`
            : html`<${Browse} topic=${topic} query=${query} columns=${columns} />`}
        ${dialog === "columns" && html`<${ColumnsDialog} topic=${topic} columns=${columns} onClose=${close} />`}
        ${dialog === "put" && html`<${PutDialog} topic=${topic} onClose=${close} />`}
        ${dialog === "download" && html`<${DownloadDialog} topic=${topic} query=${query} onClose=${close} />`}
        ${again && html`<${PutDialog} key=${again.of} topic=${topic} again=${again}
            onClose=${() => setAgain(undefined)} />`}
        ${offset !== undefined && query.m !== again?.of && html`<${MessageDialog} topic=${topic} partition=${partition}
            offset=${offset} view=${query.view} onAgain=${found => setAgain({...found, of: query.m})}
            onClose=${() => change({m: "", view: ""})} />`}
    </div>`;
}
