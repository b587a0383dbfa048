// SPDX-License-Identifier: Apache-2.0
/** Where one signs in. The secret goes to the server and is kept nowhere: the browser keeps a cookie, which ends. */
import {signIn} from "../api.js";
import {t, tn} from "../i18n.js";
import {html, useEffect, useState} from "../lib.js";
import {useAction} from "../poll.js";
import {Dialog} from "../parts/dialog.js";
import {ErrorNote} from "../parts/error.js";
import {TextField} from "../parts/form.js";
import {LanguageField} from "../parts/settingsdialog.js";

const SECRET = "dialog:has([data-secret])"; // which is shown once, and may be the key to sign in with

/** The page of a user who is not signed in. */
export function SignIn({icon, onSignedIn}) {
    useEffect(() => {
        document.title = `${t("signIn")} – Talos`;
    });
    return html`<main class="alone"><div class="panel stack">
        <h1 class="row"><img src=${icon} alt="" width="36" height="36" />${t("signIn.title")}</h1>
        <${Form} onSignedIn=${onSignedIn} />
        <p class="small quiet">${t("signIn.hint")}</p>
        <${LanguageField} />
    </div></main>`;
}

/** The sign-in above the page whose session has ended. It hides the page, which stays as it is. */
export function SignInAgain({onSignedIn}) {
    const [waits, setWaits] = useState(() => document.querySelector(SECRET) !== null);
    useEffect(() => document.querySelector(SECRET)?.addEventListener("close", () => setWaits(false)), []);
    return !waits && html`<${Dialog} title=${t("signIn.title")} stay hides>
        <p class="note warn" role="status">${t("signIn.ended")}</p>
        <${Form} onSignedIn=${onSignedIn} />
    <//>`;
}

function Form({onSignedIn}) {
    const [accessKey, setAccessKey] = useState("");
    const [secretKey, setSecretKey] = useState("");
    const entering = useAction(() => signIn(accessKey.trim(), secretKey.trim()));
    const submit = async event => {
        event.preventDefault();
        const session = await entering.run();
        if (session) {
            onSignedIn(session);
        }
    };
    const {error} = entering;
    return html`<form id="sign-in" class="stack" onSubmit=${submit} novalidate>
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
    </form>`;
}
