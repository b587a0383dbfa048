// SPDX-License-Identifier: Apache-2.0
/** Users and their keys, and what they may use: of all for administrators, else one's own. */
import {at, get, send} from "../api.js";
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Confirm} from "../parts/dialog.js";
import {Loaded} from "../parts/error.js";
import {RowButton, TextField} from "../parts/form.js";
import {Table} from "../parts/table.js";
import {Time} from "../parts/time.js";
import {toast} from "../parts/toast.js";
import {usePoll} from "../poll.js";
import {change, useRoute} from "../route.js";
import {NewUser, RotateKey} from "./newuser.js";
import {Orgs, USE_MILLIS, UserQuotas} from "./quotas.js";
import {QuotaList} from "./quota.js";

export default function Users({session}) {
    const own = usePoll(options => session.admin ? listed(session.user, options)
        : get("quota", {}, options).catch(unbound), USE_MILLIS, []);
    return html`<div class="stack">
        <h1 tabindex="-1">${t("nav.users")}</h1>
        <section class="panel" aria-labelledby="own"><h2 id="own">${t("quota.own", {user: session.user})}</h2>
            <${Loaded} from=${own}>${quota => html`<${QuotaList} quota=${quota} />`}<//>
            <p class="quiet">${t("quota.counted")}</p></section>
        ${session.admin && html`<${AllUsers} own=${session.user} /><${UserQuotas} />`}
        <${Orgs} admin=${session.admin} />
    </div>`;
}

/** An administrator's own quota, which few have: of the list of all, as asking for one that is missing fails. */
async function listed(user, options) {
    const {users} = await get("quotas/users", {}, options);
    return users.find(each => each.user === user) ?? {};
}

/** Shows users without a quota that they have none. */
function unbound(error) {
    if (error.status === 404) {
        return {};
    }
    throw error;
}

function AllUsers({own}) {
    const {query} = useRoute();
    const filter = query.q ?? "";
    const [dialog, setDialog] = useState();
    const found = usePoll(options => get("users", {}, options), 0, []);
    const close = () => {
        setDialog(undefined);
        found.refresh();
    };
    const columns = [
        {id: "user", title: t("user"), head: true, sort: row => row.user, cell: row =>
            html`<span class="break">${row.user}</span>
            ${row.admin && html` <span class="badge">${t("administrator")}</span>`}`},
        {id: "key", title: t("accessKey"), cell: row => html`<span class="mono break">${row.accessKey}</span>
            ${row.oldKey && html`<div class="small quiet"><span
                class="mono">${row.oldKey.accessKey}</span> ${t("users.oldKey")} <${Time}
                    at=${row.oldKey.until} /></div>`}`},
        {id: "orgs", title: t("users.belongs"), wide: true, cell: row =>
            html`<span class="break">${[...row.orgs, ...row.teams].join(", ")}</span>`},
        {id: "created", title: t("created"), wide: true, sort: row => row.createdAt, cell: row =>
            html`<${Time} at=${row.createdAt} />`},
        {id: "actions", title: "", class: "actions", cell: row => html`
            <${RowButton} text=${t("users.rotate")} of=${row.user} onClick=${() => setDialog({rotate: row})} />
            <${RowButton} text=${t("delete")} of=${row.user} onClick=${() => setDialog({remove: row})} />`},
    ];
    return html`<section class="stack" aria-labelledby="users">
        <div class="row spread"><h2 id="users">${t("users")}</h2>
            <button type="button" class="main" onClick=${() => setDialog({make: true})}>${t("users.new")}</button></div>
        <${Loaded} from=${found}>${({users}) => html`
            <${TextField} label=${t("users.filter")} type="search" value=${filter} data-filter
                onChange=${q => change({q})} />
            <${Table} caption=${t("users")} columns=${columns} rowKey=${row => row.user} sortName="userSort"
                rows=${users.filter(each =>
                    `${each.user} ${each.accessKey}`.toLowerCase().includes(filter.toLowerCase()))} />`}<//>
        ${dialog?.make && html`<${NewUser} onClose=${close} />`}
        ${dialog?.rotate && html`<${RotateKey} user=${dialog.rotate.user} own=${dialog.rotate.user === own}
            onClose=${close} />`}
        ${dialog?.remove && html`<${Confirm} title=${t("users.deleteTitle", {user: dialog.remove.user})}
            word=${dialog.remove.user} action=${t("delete")} onClose=${close}
            act=${async () => {
                await send("DELETE", at`users/${dialog.remove.user}`);
                toast(t("users.deleted", {user: dialog.remove.user}));
            }}><div class="note bad"><p>${t("users.deleteText")}</p>
                ${dialog.remove.user === own && html`<p><strong>${t("users.deleteSelf")}</strong></p>`}</div><//>`}
    </section>`;
}
