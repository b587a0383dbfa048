// SPDX-License-Identifier: Apache-2.0
/** The dialog that gives a partition to a server, and waits until that has it. */
import {at, get, send} from "../api.js";
import {t} from "../i18n.js";
import {html, useEffect, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {SelectField, TextField, whole} from "../parts/form.js";
import {toast} from "../parts/toast.js";
import {useAction, usePoll} from "../poll.js";

const REFRESH_MILLIS = 1_000;

/** @param topic and partition what is to be moved, from where it is, if that is known already */
export function MoveDialog({servers, topic: ofTopic = "", partition: ofPartition = 0, from, onClose}) {
    const serving = servers.filter(each => each.state === "serving" && each.server !== from);
    const [topic, setTopic] = useState(ofTopic);
    const [partition, setPartition] = useState(String(ofPartition));
    const [server, setServer] = useState(serving[0]?.server ?? "");
    const [moving, setMoving] = useState(false);
    const number = whole(partition);
    const beginning = useAction(async () => {
        await send("POST", "cluster/moves", {topic: topic.trim(), partition: number, server});
        return true;
    });
    const submit = async () => {
        if (!moving && await beginning.run()) {
            setMoving(true);
        }
    };
    return html`<${Dialog} title=${t("move.title")} onClose=${onClose} onSubmit=${submit}>
        <p>${t("move.text")}</p>
        <div class="fields">
            <${TextField} label=${t("topic")} name="topic" value=${topic} onChange=${setTopic} readonly=${moving}
                autofocus />
            <${TextField} label=${t("partition")} name="partition" inputmode="numeric" value=${partition}
                onChange=${setPartition} readonly=${moving} />
            <${SelectField} label=${t("server")} name="server" value=${server} onChange=${setServer} disabled=${moving}
                options=${serving.map(each => [each.server, each.server])} />
        </div>
        ${moving && html`<${Waiting} topic=${topic.trim()} partition=${number} server=${server} onClose=${onClose} />`}
        <${ErrorNote} error=${beginning.error} />
        <${DialogButtons} onClose=${onClose} action=${t("move")} busy=${beginning.busy || moving}
            disabled=${topic.trim() === "" || !(number >= 0) || server === ""} />
    <//>`;
}

function Waiting({topic, partition, server, onClose}) {
    const states = usePoll(options => get(at`topics/${topic}/partitions`, {}, options), REFRESH_MILLIS, [topic]);
    const now = states.data?.partitions.find(each => each.partition === partition);
    useEffect(() => {
        if (now?.server === server) {
            toast(t("move.done", {topic, partition, server}));
            onClose();
        }
    }, [now?.server]);
    return html`<div role="status"><p class="spin">${now?.server ? t("move.at", {server: now.server, epoch: now.epoch})
        : t("move.between")}</p>
        <progress aria-label=${t("move.title")}></progress></div><${ErrorNote} error=${states.error} />`;
}
