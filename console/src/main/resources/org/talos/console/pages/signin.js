// SPDX-License-Identifier: Apache-2.0
/** Where one signs in. The secret goes to the server and is kept nowhere: the browser keeps a cookie, which ends. */
import {signIn} from "../api.js";
import {t, tn} from "../i18n.js";
import {html, useEffect, useState} from "../lib.js";
import {useAction} from "../poll.js";
import {ErrorNote} from "../parts/error.js";
import {TextField} from "../parts/form.js";
import {LanguageField} from "../parts/settingsdialog.js";

/** @param ended whether there was a session that has ended */
export function SignIn({ended, icon, onSignedIn}) {
    const [accessKey, setAccessKey] = useState("");
    const [secretKey, setSecretKey] = useState("");
    const entering = useAction(() => signIn(accessKey.trim(), secretKey.trim()));
    useEffect(() => {
        document.title = `${t("signIn")} – Talos`;
    });
    const submit = async event => {
        event.preventDefault();
        const session = await entering.run();
        if (session) {
            onSignedIn(session);
        }
    };
    const {error} = entering;
    return html`<main class="alone"><div class="panel stack">
        <h1 class="row"><img src=${icon} alt="" width="36" height="36" />${t("signIn.title")}</h1>
        ${ended && !error && html`<p class="note warn" role="status">${t("signIn.ended")}</p>`}
        <form id="sign-in" class="stack" onSubmit=${submit} novalidate>
            <${TextField} label=${t("accessKey")} name="accessKey" value=${accessKey} onChange=${setAccessKey}
                autocomplete="username"
                autofocus required />
            <${TextField} label=${t("secretKey")} name="secretKey" type="password" value=${secretKey}
                onChange=${setSecretKey}
                autocomplete="current-password" required />
            ${error && (error.status === 401 || error.status === 429
                ? html`<p class="note bad" role="alert">${error.status === 401 ? t("signIn.wrong")
                    : tn("signIn.tooMany", error.retryAfter ?? 1)}</p>`
                : html`<${ErrorNote} error=${error} />`)}
            <button type="submit" class="main" disabled=${entering.busy}>${entering.busy ? t("busy")
                : t("signIn")}</button>
        </form>
        <p class="small quiet">${t("signIn.hint")}</p>
        <${LanguageField} />
    </div></main>`;
}
