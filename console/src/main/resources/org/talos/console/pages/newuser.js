// SPDX-License-Identifier: Apache-2.0
/** Makes users and keys. A secret is shown once, here: the server gives it to nobody again. */
import {at, send} from "../api.js";
import {t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {Dialog, DialogButtons} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {CheckField, Copy, SelectField, TextField} from "../parts/form.js";
import {useAction} from "../poll.js";
import {saveBlob} from "../save.js";

export function NewUser({onClose}) {
    const [user, setUser] = useState("");
    const [admin, setAdmin] = useState(false);
    const [orgs, setOrgs] = useState("");
    const [teams, setTeams] = useState("");
    const [made, setMade] = useState();
    const making = useAction(() =>
        send("POST", "users", {user: user.trim(), admin, orgs: listed(orgs), teams: listed(teams)}));
    if (made) {
        return html`<${Secret} made=${made} onClose=${onClose} />`;
    }
    return html`<${Dialog} title=${t("users.new")} onClose=${onClose}
        onSubmit=${async () => setMade(await making.run())}>
        <${TextField} label=${t("name")} name="user" value=${user} onChange=${setUser} autofocus />
        <div class="fields">
            <${TextField} label=${t("users.orgs")} name="orgs" hint=${t("users.orgsHint")} value=${orgs}
                onChange=${setOrgs} />
            <${TextField} label=${t("users.teams")} name="teams" hint=${t("users.teamsHint")} value=${teams}
                onChange=${setTeams} />
        </div>
        <${CheckField} label=${t("administrator")} hint=${t("users.adminHint")} checked=${admin} onChange=${setAdmin} />
        <${ErrorNote} error=${making.error} />
        <${DialogButtons} onClose=${onClose} action=${t("create")} busy=${making.busy} disabled=${user.trim() === ""} />
    <//>`;
}

export function RotateKey({user, own, onClose}) {
    const [grace, setGrace] = useState("3600");
    const [made, setMade] = useState();
    const rotating = useAction(() =>
        send("POST", at`users/${user}/key`, grace === "0" ? {} : {graceSeconds: Number(grace)}));
    if (made) {
        return html`<${Secret} made=${made} onClose=${onClose} />`;
    }
    return html`<${Dialog} title=${t("users.rotateOf", {user})} onClose=${onClose}
        onSubmit=${async () => setMade(await rotating.run())}>
        <p>${t("users.rotateText")}</p>
        <${SelectField} label=${t("users.grace")} name="grace" value=${grace} onChange=${setGrace}
            options=${[["0", t("users.graceNone")],
            ["3600", t("users.graceHour")], ["86400", t("users.graceDay")], ["604800", t("users.graceWeek")]]} />
        ${grace === "0" && html`<p class="note warn">${own ? t("users.graceNoneOwn") : t("users.graceNoneText")}</p>`}
        <${ErrorNote} error=${rotating.error} />
        <${DialogButtons} onClose=${onClose} action=${t("users.rotate")} busy=${rotating.busy} bad=${grace === "0"} />
    <//>`;
}

/** The secret, which goes with the dialog. */
function Secret({made, onClose}) {
    const file = `accessKey=${made.accessKey}\nsecretKey=${made.secretKey}\n`;
    return html`<${Dialog} title=${t("users.secretOf", {user: made.user})} stay>
        <p class="note warn" role="status">${t("users.secretText")}</p>
        <dl class="facts">
            <div><dt>${t("accessKey")}</dt><dd class="mono break"><span data-access>${made.accessKey}</span> <${Copy}
                text=${made.accessKey} label=${t("users.copyKey")} /></dd></div>
            <div><dt>${t("secretKey")}</dt><dd class="mono break"><span data-secret>${made.secretKey}</span> <${Copy}
                text=${made.secretKey} label=${t("users.copySecret")} /></dd></div>
        </dl>
        <footer><button type="button"
            onClick=${() => saveBlob(new Blob([file]), `${made.user}.credentials`)}>${t("users.saveFile")}</button>
            <button type="button" class="main" onClick=${onClose}>${t("users.secretKept")}</button></footer>
    <//>`;
}

function listed(text) {
    return text.split(/[\s,]+/).filter(each => each !== "");
}
