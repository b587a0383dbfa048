// SPDX-License-Identifier: Apache-2.0
/** Who besides its owner may use a group. */
import {at, send} from "../api.js";
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Confirm, Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {RowButton, SelectField, TextField} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {toast} from "../parts/toast.js";
import {useAction} from "../poll.js";

const RIGHTS = {read: () => t("right.read"), commit: () => t("right.commit"), administer: () => t("right.administer")};

export function GroupRights({topic, group, grants, refresh}) {
    const [dialog, setDialog] = useState();
    const close = () => setDialog(undefined);
    const columns = [
        {id: "grantee", title: t("grantee"), head: true, cell: row => html`<span class="break">${row.grantee}</span>`},
        {id: "right", title: t("right"), cell: row => RIGHTS[row.right]?.() ?? row.right},
        {id: "actions", title: "", class: "actions", cell: row =>
            html`<${RowButton} text=${t("right.take")} of=${row.grantee} onClick=${() => setDialog(row)} />`},
    ];
    return html`<section class="stack" aria-labelledby="rights">
        <div class="row spread"><h2 id="rights">${t("groups.rights")}</h2>
            <button type="button" onClick=${() => setDialog({})}>${t("right.give")}</button></div>
        <${Table} caption=${t("groups.rights")} columns=${columns} rows=${grants} rowKey=${row => row.grantee}
            empty=${t("groups.noRights")} />
        ${dialog?.grantee && html`<${Confirm} title=${t("right.takeFrom", {grantee: dialog.grantee})}
            action=${t("right.take")} onClose=${close}
            act=${async () => {
                await send("DELETE", at`topics/${topic}/groups/${group}/rights/${dialog.grantee}`);
                toast(t("right.taken", {grantee: dialog.grantee}));
                refresh();
            }}><p>${t("right.takeText")}</p><//>`}
        ${dialog && !dialog.grantee
            && html`<${Give} topic=${topic} group=${group} refresh=${refresh} onClose=${close} />`}
    </section>`;
}

function Give({topic, group, refresh, onClose}) {
    const [grantee, setGrantee] = useState("");
    const [right, setRight] = useState("commit");
    const giving = useAction(async () => {
        await send("PUT", at`topics/${topic}/groups/${group}/rights/${grantee.trim()}`, {right});
        return true;
    });
    const submit = async () => {
        if (grantee.trim() !== "" && await giving.run()) {
            toast(t("right.given", {grantee: grantee.trim()}));
            refresh();
            onClose();
        }
    };
    return html`<${Dialog} title=${t("right.give")} onClose=${onClose} onSubmit=${submit}>
        <${TextField} label=${t("grantee")} hint=${t("grantee.hint")} value=${grantee} onChange=${setGrantee}
            autofocus />
        <${SelectField} label=${t("right")} value=${right} onChange=${setRight}
            options=${Object.entries(RIGHTS).map(([id, text]) => [id, text()])} />
        <${ErrorNote} error=${giving.error} />
        <${DialogButtons} onClose=${onClose} action=${t("right.give")} busy=${giving.busy}
            disabled=${grantee.trim() === ""} />
    <//>`;
}
