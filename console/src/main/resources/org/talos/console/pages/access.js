// SPDX-License-Identifier: Apache-2.0
/** Who may do what with a topic, and how much of it. */
import {at, get, send} from "../api.js";
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Confirm, Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote, Loaded} from "../parts/error.js";
import {CheckField, RowButton, TextField} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {toast} from "../parts/toast.js";
import {useAction, usePoll} from "../poll.js";
import {hasBound, QuotaDialog, QuotaList} from "./quota.js";

export default function Access({topic, session}) {
    return html`<div class="stack">
        <${Permissions} topic=${topic} />
        <${TopicQuota} topic=${topic.name} admin=${session.admin} />
    </div>`;
}

function Permissions({topic}) {
    const found = usePoll(options => get(at`topics/${topic.name}/permissions`, {}, options), 0, [topic.name]);
    const [dialog, setDialog] = useState();
    const close = () => setDialog(undefined);
    const yes = (row, right) => row[right] ? html`<span class="badge good">${t("yes")}</span>`
        : html`<span class="quiet">${t("no")}</span>`;
    const columns = [
        {id: "grantee", title: t("grantee"), head: true, sort: row => row.grantee, cell: row =>
            html`<span class="break">${row.grantee}</span>`},
        {id: "put", title: t("right.put"), cell: row => yes(row, "put")},
        {id: "get", title: t("right.get"), cell: row => yes(row, "get")},
        {id: "describe", title: t("right.describe"), wide: true, cell: row => yes(row, "describe")},
        {id: "change", title: t("right.change"), wide: true, cell: row => yes(row, "change")},
        {id: "actions", title: "", class: "actions", cell: row => row.grantee === topic.owner
            ? html`<span class="quiet small">${t("permissions.ofOwner")}</span>` : html`
            <${RowButton} text=${t("change")} of=${row.grantee} onClick=${() => setDialog({edit: row})} />
            <${RowButton} text=${t("right.take")} of=${row.grantee} onClick=${() => setDialog({take: row})} />`},
    ];
    return html`<section class="stack" aria-labelledby="permissions">
        <div class="row spread"><h2 id="permissions">${t("permissions")}</h2>
            <button type="button" class="main"
                onClick=${() => setDialog({edit: {grantee: "", get: true,
                    put: false}})}>${t("right.give")}</button></div>
        <p class="quiet">${t("permissions.text", {owner: topic.owner})}</p>
        <${Loaded} from=${found}>${({permissions}) =>
            html`<${Table} caption=${t("permissions")} columns=${columns} rows=${permissions}
            rowKey=${row => row.grantee} empty=${t("permissions.none")} />`}<//>
        ${dialog?.edit && html`<${Give} topic=${topic.name} row=${dialog.edit} refresh=${found.refresh}
            onClose=${close} />`}
        ${dialog?.take && html`<${Confirm} title=${t("right.takeFrom", {grantee: dialog.take.grantee})}
            action=${t("right.take")} onClose=${close}
            act=${async () => {
                await send("DELETE", at`topics/${topic.name}/permissions/${dialog.take.grantee}`);
                toast(t("right.taken", {grantee: dialog.take.grantee}));
                found.refresh();
            }}><p>${t("permissions.takeText")}</p><//>`}
    </section>`;
}

function Give({topic, row, refresh, onClose}) {
    const [grantee, setGrantee] = useState(row.grantee);
    const [put, setPut] = useState(row.put);
    const [mayGet, setMayGet] = useState(row.get);
    const giving = useAction(async () => {
        const answer = await send("PUT", at`topics/${topic}/permissions/${grantee.trim()}`, {put, get: mayGet});
        return answer?.warnings ?? [];
    });
    const submit = async () => {
        const warnings = grantee.trim() !== "" && await giving.run();
        if (warnings) {
            toast(warnings[0] ?? t("right.given", {grantee: grantee.trim()}));
            refresh();
            onClose();
        }
    };
    return html`<${Dialog} title=${row.grantee === "" ? t("right.give") : t("right.changeOf", {grantee: row.grantee})}
        onClose=${onClose} onSubmit=${submit}>
        <${TextField} label=${t("grantee")} hint=${t("grantee.hint")} name="grantee" value=${grantee}
            onChange=${setGrantee}
            readonly=${row.grantee !== ""} autofocus />
        <fieldset><legend>${t("right")}</legend>
            <${CheckField} label=${t("right.put")} checked=${put} onChange=${setPut} />
            <${CheckField} label=${t("right.get")} checked=${mayGet} onChange=${setMayGet} />
            <p class="hint quiet small">${t("right.neither")}</p></fieldset>
        <${ErrorNote} error=${giving.error} />
        <${DialogButtons} onClose=${onClose} action=${t("save")} busy=${giving.busy}
            disabled=${grantee.trim() === ""} />
    <//>`;
}

function TopicQuota({topic, admin}) {
    const found = usePoll(options => get(at`topics/${topic}/quota`, {}, options), 0, [topic]);
    const [dialog, setDialog] = useState();
    const close = () => setDialog(undefined);
    return html`<section class="panel stack" aria-labelledby="quota">
        <header><h2 id="quota">${t("quota")}</h2>
            ${admin && html`<div class="row"><button type="button"
                onClick=${() => setDialog("set")}>${t("quota.set")}</button>
                ${found.data && hasBound(found.data) && html`<button type="button" class="bad"
                    onClick=${() => setDialog("remove")}>${t("quota.remove")}</button>`}</div>`}</header>
        <${Loaded} from=${found}>${quota => html`<${QuotaList} quota=${quota} />
            ${dialog === "set" && html`<${QuotaDialog} title=${t("quota.of", {of: topic})}
                path=${at`topics/${topic}/quota`} quota=${quota}
                refresh=${found.refresh} onClose=${close} />`}`}<//>
        ${dialog === "remove" && html`<${Confirm} title=${t("quota.removeTitle", {of: topic})}
            action=${t("quota.remove")} onClose=${close}
            act=${async () => {
                await send("DELETE", at`topics/${topic}/quota`);
                found.refresh();
            }}><p>${t("quota.removeText")}</p><//>`}
    </section>`;
}
