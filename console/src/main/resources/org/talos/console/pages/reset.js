// SPDX-License-Identifier: Apache-2.0
/** Moves a group: first what it would do, then doing it; and putting the last move back. */
import {at, send} from "../api.js";
import {NONE, number} from "../format.js";
import {t, tn} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote, Loaded} from "../parts/error.js";
import {CheckField, SelectField, TextField} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {toast} from "../parts/toast.js";
import {useAction, usePoll} from "../poll.js";
import {PartitionField, TimeField} from "./range.js";
import {sum} from "./topics.js";

export function ResetDialog({topic, group, members, onClose}) {
    const [kind, setKind] = useState("earliest");
    const [value, setValue] = useState("");
    const [partition, setPartition] = useState("");
    const [force, setForce] = useState(false);
    const [preview, setPreview] = useState(); // and the body that it is of: it is of nothing else
    const path = at`topics/${topic.name}/groups/${group}/reset`;
    const body = {
        ...(kind === "offset" ? {offset: Number(value)} : {to: kind === "time" ? value : kind}),
        ...(partition === "" ? {} : {partitions: [Number(partition)]}),
    };
    const held = members > 0 && !force;
    const complete = kind === "offset" ? /^\d{1,15}$/.test(value) : kind !== "time" || value !== "";
    const looking = useAction(() => send("POST", path, {...body, preview: true}, {reads: true}));
    const doing = useAction(() => send("POST", path, force ? {...body, force} : body));
    const asked = JSON.stringify(body);
    const moved = preview?.asked === asked ? preview.moved : undefined;
    const submit = async () => {
        if (moved === undefined) {
            const found = await looking.run();
            setPreview(found && {asked, moved: found});
        } else if (await doing.run()) {
            toast(t("reset.done", {group}));
            onClose();
        }
    };
    const chooseKind = chosen => {
        setKind(chosen);
        setValue(chosen === "time" ? new Date(Date.now() - 3_600_000).toISOString() : "");
    };
    return html`<${Dialog} wide title=${t("reset.title", {group})} onClose=${onClose} onSubmit=${submit}>
        <p>${t("reset.text")}</p>
        <div class="fields">
            <${SelectField} label=${t("reset.to")} name="to" value=${kind} onChange=${chooseKind}
                options=${[["earliest", t("reset.earliest")],
                ["latest", t("reset.latest")], ["time", t("from.time")], ["offset", t("from.offset")]]} />
            ${kind === "offset" && html`<${TextField} label=${t("offset")} name="offset" inputmode="numeric"
                value=${value} onChange=${setValue} />`}
            ${kind === "time" && html`<${TimeField} label=${t("time")} value=${value} onChange=${setValue} />`}
            <${PartitionField} value=${partition} count=${topic.partitions} onChange=${setPartition} />
        </div>
        ${members > 0 && html`<div class="note warn"><p>${tn("reset.members", members)}</p>
            <${CheckField} label=${t("reset.force")} checked=${force} onChange=${setForce} /></div>`}
        ${moved && html`<${Moves} moved=${moved} />`}
        <${ErrorNote} error=${looking.error ?? doing.error} />
        <${DialogButtons} onClose=${onClose} bad=${moved !== undefined}
            action=${moved === undefined ? t("reset.preview") : t("reset.do")}
            busy=${looking.busy || doing.busy} disabled=${!complete || moved !== undefined && held} />
    <//>`;
}

export function UndoDialog({topic, group, members, onClose}) {
    const path = at`topics/${topic}/groups/${group}/reset/undo`;
    const [force, setForce] = useState(false);
    const preview = usePoll(options => send("POST", path, {preview: true}, {...options, reads: true}), 0, [path]);
    const nothing = preview.error?.status === 409; // the answer to a group that was never reset
    const doing = useAction(() => send("POST", path, {force}));
    const submit = async () => {
        if (preview.data && await doing.run()) {
            toast(t("undo.done", {group}));
            onClose();
        }
    };
    return html`<${Dialog} wide title=${t("undo.title", {group})} onClose=${onClose} onSubmit=${submit}>
        <p>${t("undo.text")}</p>
        ${nothing && html`<p class="note" role="status">${t("undo.nothing")}</p>`}
        ${members > 0 && !nothing && html`<div class="note warn"><p>${tn("reset.members", members)}</p>
            <${CheckField} label=${t("reset.force")} checked=${force} onChange=${setForce} /></div>`}
        ${!nothing && html`<${Loaded} from=${preview}>${moved => html`<${Moves} moved=${moved} />`}<//>`}
        <${ErrorNote} error=${doing.error} />
        <${DialogButtons} onClose=${onClose} bad action=${t("undo.do")} busy=${doing.busy}
            disabled=${!preview.data || members > 0 && !force} />
    <//>`;
}

/** What a reset would do, per partition and in a sentence. */
function Moves({moved}) {
    const skipped = sum(moved.partitions, "skipped") ?? 0;
    const repeated = sum(moved.partitions, "repeated") ?? 0;
    const columns = [
        {id: "partition", title: t("partition"), head: true, cell: row => row.partition},
        {id: "from", title: t("reset.from"), end: true, cell: row => row.from ?? t("committed.never")},
        {id: "to", title: t("reset.to"), end: true, cell: row => row.to ?? t("committed.never")},
        {id: "skipped", title: t("reset.skipped"), end: true, cell: row => row.skipped ? number(row.skipped) : NONE},
        {id: "repeated", title: t("reset.repeated"), end: true, cell: row => row.repeated ? number(row.repeated)
            : NONE},
    ];
    return html`<div class="note warn" role="status"><p><strong>
            ${skipped > 0 && `${tn("reset.willSkip", skipped)} `}${repeated > 0 && tn("reset.willRepeat", repeated)}
            ${moved.partitions.every(each => each.from === each.to) && t("reset.nothing")}
            ${moved.partitions.some(each => each.from === undefined) && t("reset.firstTime")}</strong></p></div>
        <${Table} caption=${t("reset.preview")} columns=${columns} rows=${moved.partitions}
            rowKey=${row => row.partition} />`;
}
