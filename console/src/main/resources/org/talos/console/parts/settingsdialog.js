// SPDX-License-Identifier: Apache-2.0
/** Language, light or dark, zone of times, and which keys there are. */
import {localZone} from "../format.js";
import {LANGUAGES, spoken, t} from "../i18n.js";
import {html, useState} from "../lib.js";
import {useAction} from "../poll.js";
import {choose, setting} from "../settings.js";
import {shortcutsWanted} from "../shortcuts.js";
import {Dialog} from "./dialog.js";
import {ErrorNote} from "./error.js";
import {CheckField, SelectField} from "./form.js";

/** The choice of a language, which also stands where one signs in. */
export function LanguageField() {
    return html`<${SelectField} label=${t("settings.language")} name="language" value=${spoken()}
        options=${Object.entries(LANGUAGES)} onChange=${value => choose("language", value)} />`;
}

/** Links to the pages beside the console. */
export function DocLinks({wideOnly}) {
    const to = path => new URL(path, document.baseURI).href;
    return html`<p class=${wideOnly ? "row small wide-only" : "row"}><a href=${to("../docs/")}>${t("docs")}</a>
        <a href=${to("../docs/api/")}>${t("docs.api")}</a></p>`;
}

/** @param leave signs out; true for everywhere */
export function SettingsDialog({leave, onClose}) {
    const [, redraw] = useState(0);
    const everywhere = useAction(() => leave(true));
    const set = name => value => {
        choose(name, value);
        redraw(count => count + 1);
    };
    const keys = [["g o", t("nav.overview")], ["g t", t("nav.topics")], ["g g", t("nav.groups")],
        ["g c", t("nav.cluster")],
        ["g u", t("nav.users")], ["/", t("shortcuts.filter")], ["?", t("shortcuts.help")]];
    return html`<${Dialog} title=${t("settings")} onClose=${onClose}>
        <div class="fields">
            <${LanguageField} />
            <${SelectField} label=${t("settings.theme")} value=${setting("theme", "system")} onChange=${set("theme")}
                options=${[["system", t("theme.system")], ["light", t("theme.light")], ["dark", t("theme.dark")]]} />
            <${SelectField} label=${t("settings.zone")} value=${setting("zone", "local")} onChange=${set("zone")}
                options=${[["local", localZone()], ["utc", "UTC"]]} />
        </div>
        <${CheckField} label=${t("settings.shortcuts")} checked=${shortcutsWanted()}
            onChange=${on => set("shortcuts")(on ? "on" : "off")} />
        <dl class="pairs">${keys.map(([key, text]) =>
            html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${text}</dd></div>`)}</dl>
        <${DocLinks} />
        <${ErrorNote} error=${everywhere.error} />
        <footer>
            <button type="button" data-action="sign-out-everywhere" onClick=${() => everywhere.run()}
                disabled=${everywhere.busy}>${t("signOut.everywhere")}</button>
            <button type="button" class="main" onClick=${onClose}>${t("close")}</button>
        </footer>
    <//>`;
}
