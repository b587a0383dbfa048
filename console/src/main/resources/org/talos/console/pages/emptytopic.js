// SPDX-License-Identifier: Apache-2.0
/** Deletes messages of a topic, all or the oldest: first what would go, then doing it. */
import {at, send} from "../api.js";
import {bytes, number} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {SelectField, TextField} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {toast} from "../parts/toast.js";
import {useAction} from "../poll.js";
import {PartitionField, TimeField} from "./range.js";
import {sum} from "./topics.js";

export function EmptyDialog({topic, refresh, onClose}) {
    const [kind, setKind] = useState("latest");
    const [value, setValue] = useState("");
    const [partition, setPartition] = useState("");
    const [preview, setPreview] = useState(); // and the body that it is of: it is of nothing else
    const path = at`topics/${topic.name}/empty`;
    const body = {
        ...(kind === "offset" ? {offset: Number(value)} : {before: kind === "time" ? value : kind}),
        ...(partition === "" ? {} : {partitions: [Number(partition)]}),
    };
    const complete = kind === "offset" ? /^\d{1,15}$/.test(value) : kind !== "time" || value !== "";
    const looking = useAction(() => send("POST", path, {...body, preview: true}, {reads: true}));
    const doing = useAction(() => kind === "latest" ? deleteShown(path, found.partitions) : send("POST", path, body));
    const asked = JSON.stringify(body);
    const found = preview?.asked === asked ? preview.found : undefined;
    const submit = async () => {
        if (found === undefined) {
            const answer = await looking.run();
            setPreview(answer && {asked, found: answer});
            return;
        }
        const deleted = await doing.run();
        if (deleted) {
            toast(tn("empty.done", sum(deleted.partitions, "messages") ?? 0));
            refresh();
            onClose();
        }
    };
    const chooseKind = chosen => {
        setKind(chosen);
        setValue(chosen === "time" ? new Date(Date.now() - 3_600_000).toISOString() : "");
    };
    return html`<${Dialog} wide title=${t("empty.title", {topic: topic.name})} onClose=${onClose} onSubmit=${submit}>
        <p>${t("empty.hint")}</p>
        <div class="fields">
            <${SelectField} label=${t("messages")} name="before" value=${kind} onChange=${chooseKind}
                options=${[["latest", t("empty.all")], ["offset", t("empty.beforeOffset")],
                ["time", t("empty.beforeTime")]]} />
            ${kind === "offset" && html`<${TextField} label=${t("offset")} name="offset" inputmode="numeric"
                value=${value} onChange=${setValue} />`}
            ${kind === "time" && html`<${TimeField} label=${t("time")} value=${value} onChange=${setValue} />`}
            <${PartitionField} value=${partition} count=${topic.partitions} onChange=${setPartition} />
        </div>
        ${found && html`<${WillGo} found=${found} />`}
        <${ErrorNote} error=${looking.error ?? doing.error} />
        <${DialogButtons} onClose=${onClose} bad=${found !== undefined}
            action=${found === undefined ? t("reset.preview") : t("empty.do")}
            busy=${looking.busy || doing.busy} disabled=${!complete} />
    <//>`;
}

/** Deletes all messages that the preview has shown, and none that has come since. */
async function deleteShown(path, shown) {
    const partitions = [];
    for (const each of shown.filter(({messages}) => messages > 0)) {
        const deleted = await send("POST", path, {offset: each.to, partitions: [each.partition]});
        partitions.push(...deleted.partitions);
    }
    return {partitions};
}

/** The messages that a deletion would take, per partition and in a sentence. */
function WillGo({found}) {
    const columns = [
        {id: "partition", title: t("partition"), head: true, cell: row => row.partition},
        {id: "from", title: t("reset.from"), end: true, cell: row => row.from},
        {id: "to", title: t("reset.to"), end: true, cell: row => row.to},
        {id: "messages", title: t("messages"), end: true, cell: row => number(row.messages)},
        {id: "size", title: t("size"), end: true, cell: row => bytes(row.bytes)},
    ];
    return html`<div class="note bad" role="status"><p><strong>${tn("empty.willGo",
            sum(found.partitions, "messages") ?? 0,
            {size: bytes(sum(found.partitions, "bytes") ?? 0)})}</strong></p></div>
        <${Table} caption=${t("reset.preview")} columns=${columns} rows=${found.partitions}
            rowKey=${row => row.partition} />`;
}
