// SPDX-License-Identifier: Apache-2.0
/** Quotas of users, and the partitions of orgs: what they have, what they applied for. */
import {at, get, send} from "../api.js";
import {NONE, number} from "../format.js";
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Confirm, Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote, Loaded} from "../parts/error.js";
import {RowButton, TextField, whole} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {toast} from "../parts/toast.js";
import {useAction, usePoll} from "../poll.js";
import {QuotaDialog, QuotaList} from "./quota.js";

/** Of the mean of ten seconds that is shown as the use of a rate. */
export const USE_MILLIS = 10_000;

export function UserQuotas() {
    const found = usePoll(options => get("quotas/users", {}, options), USE_MILLIS, []);
    const [dialog, setDialog] = useState();
    const [user, setUser] = useState("");
    const close = () => setDialog(undefined);
    const columns = [
        {id: "user", title: t("user"), head: true, sort: row => row.user, cell: row =>
            html`<span class="break">${row.user}</span>`},
        {id: "use", title: t("quota.use"), cell: row => html`<${QuotaList} quota=${row} />`},
        {id: "actions", title: "", class: "actions", cell: row => html`
            <${RowButton} text=${t("change")} of=${row.user} onClick=${() => setDialog({set: row})} />
            <${RowButton} text=${t("quota.remove")} of=${row.user} onClick=${() => setDialog({remove: row})} />`},
    ];
    return html`<section class="stack" aria-labelledby="user-quotas">
        <h2 id="user-quotas">${t("quota.users")}</h2>
        <form class="row bottom" onSubmit=${event => {
            event.preventDefault();
            setDialog({set: {user: user.trim()}});
        }}><${TextField} label=${t("user")} name="quotaUser" value=${user} onChange=${setUser} />
            <button type="submit" disabled=${user.trim() === ""}>${t("quota.set")}</button></form>
        <${Loaded} from=${found}>${({users}) =>
            html`<${Table} caption=${t("quota.users")} columns=${columns} rows=${users} rowKey=${row => row.user}
            sortName="quotaSort" empty=${t("quota.noneOfUsers")} />`}<//>
        ${dialog?.set && html`<${QuotaDialog} withTopics title=${t("quota.of", {of: dialog.set.user})}
            path=${at`quotas/users/${dialog.set.user}`}
            quota=${dialog.set} refresh=${found.refresh} onClose=${close} />`}
        ${dialog?.remove && html`<${Confirm} title=${t("quota.removeTitle", {of: dialog.remove.user})}
            action=${t("quota.remove")} onClose=${close}
            act=${async () => {
                await send("DELETE", at`quotas/users/${dialog.remove.user}`);
                found.refresh();
            }}><p>${t("quota.removeText")}</p><//>`}
    </section>`;
}

/** Orgs of the user, or all of them: REST says which. */
export function Orgs({admin}) {
    const found = usePoll(options => get("quotas/orgs", {}, options), 0, []);
    const [dialog, setDialog] = useState();
    const close = () => {
        setDialog(undefined);
        found.refresh();
    };
    const button = (row, act, text) =>
        html`<${RowButton} text=${text} of=${row.org} onClick=${() => setDialog({act, row})} />`;
    const columns = [
        {id: "org", title: t("org"), head: true, sort: row => row.org, cell: row => row.org},
        {id: "approved", title: t("orgs.approved"), end: true, cell: row => row.waiting ? NONE
            : number(row.partitions)},
        {id: "waiting", title: t("orgs.waiting"), end: true, cell: row => row.waiting ? number(row.partitions) : NONE},
        {id: "used", title: t("orgs.used"), end: true, cell: row => number(row.usedPartitions)},
        {id: "reason", title: t("orgs.reason"), wide: true, cell: row =>
            html`<span class="break">${row.reason ?? ""}</span>`},
        {id: "actions", title: "", class: "actions", cell: row => html`
            ${admin && row.waiting && html`${button(row, "approve", t("orgs.approve"))}
                ${button(row, "application", t("orgs.refuse"))}`}
            ${admin && !row.waiting && button(row, "approval", t("orgs.revoke"))}`},
    ];
    return html`<section class="stack" aria-labelledby="orgs">
        <div class="row spread"><h2 id="orgs">${t("orgs")}</h2><button type="button"
            onClick=${() => setDialog({act: "apply", row: {org: "", partitions: 64}})}>${t("orgs.apply")}</button></div>
        <${Loaded} from=${found}>${({approved, waiting}) =>
            html`<${Table} caption=${t("orgs")} columns=${columns} sortName="orgSort" empty=${t("orgs.none")}
            rows=${[...waiting.map(each => ({...each, waiting: true})), ...approved]}
                rowKey=${row => `${row.org}/${row.waiting}`} />`}<//>
        ${(dialog?.act === "approve" || dialog?.act === "apply")
            && html`<${Question} act=${dialog.act} row=${dialog.row} onClose=${close} />`}
        ${(dialog?.act === "application" || dialog?.act === "approval") && html`<${Confirm} onClose=${close}
            title=${dialog.act === "approval" ? t("orgs.revokeOf", {org: dialog.row.org})
                : t("orgs.refuseOf", {org: dialog.row.org})}
            action=${dialog.act === "approval" ? t("orgs.revoke") : t("orgs.refuse")}
                act=${() => send("DELETE", at`quotas/orgs/${dialog.row.org}/${dialog.act}`)}>
            <p>${dialog.act === "approval" ? t("orgs.revokeText") : t("orgs.refuseText")}</p><//>`}
    </section>`;
}

function Question({act, row, onClose}) {
    const [org, setOrg] = useState(row.org);
    const [partitions, setPartitions] = useState(String(row.partitions));
    const [reason, setReason] = useState("");
    const number = whole(partitions);
    const applying = act === "apply";
    const asking = useAction(async () => {
        await send("POST", at`quotas/orgs/${org.trim()}/${applying ? "application" : "approval"}`,
            {partitions: number, ...(applying && reason !== "" ? {reason} : {})});
        return true;
    });
    const submit = async () => {
        if (await asking.run()) {
            toast(applying ? t("orgs.applied") : t("orgs.isApproved"));
            onClose();
        }
    };
    return html`<${Dialog} title=${applying ? t("orgs.apply") : t("orgs.approveOf", {org: row.org})} onClose=${onClose}
        onSubmit=${submit}>
        <div class="fields">
            <${TextField} label=${t("org")} name="org" hint=${t("orgs.hint")} value=${org} onChange=${setOrg}
                readonly=${!applying} />
            <${TextField} label=${t("partitions")} name="partitions" inputmode="numeric" value=${partitions}
                onChange=${setPartitions}
                wrong=${!(number >= 1) && t("wrong.number")} />
        </div>
        ${applying && html`<${TextField} label=${t("orgs.reason")} name="reason" value=${reason}
            onChange=${setReason} />`}
        <${ErrorNote} error=${asking.error} />
        <${DialogButtons} onClose=${onClose} action=${applying ? t("orgs.apply") : t("orgs.approve")}
            busy=${asking.busy}
            disabled=${org.trim() === "" || !(number >= 1)} />
    <//>`;
}
