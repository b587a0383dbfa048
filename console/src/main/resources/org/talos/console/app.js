// SPDX-License-Identifier: Apache-2.0
/** The console: who is signed in, what stands around each page, and which page an address shows. */
import {forgetSession, keepInUse, onSessionEnd, onSignInElsewhere, session, signOut} from "./api.js";
import {forgetFormats} from "./format.js";
import {preferredLanguage, speak, t} from "./i18n.js";
import {html, render, useCallback, useEffect, useErrorBoundary, useRef, useState} from "./lib.js";
import {SignIn, SignInAgain} from "./pages/signin.js";
import {DocLinks, SettingsDialog} from "./parts/settingsdialog.js";
import {ErrorNote, NotLoaded} from "./parts/error.js";
import {Toasts} from "./parts/toast.js";
import {href, useRoute} from "./route.js";
import {onSetting} from "./settings.js";
import {shortcuts} from "./shortcuts.js";

const icon = new URL("./icon.svg", import.meta.url).href;

/** The pages by the first name of their address; each is loaded when it is first opened. */
const PAGES = {
    overview: {title: () => t("nav.overview"), load: () => import("./pages/overview.js")},
    topics: {title: () => t("nav.topics"), load: () => import("./pages/topics.js")},
    topic: {load: () => import("./pages/topic.js")},
    groups: {title: () => t("nav.groups"), load: () => import("./pages/groups.js")},
    cluster: {title: () => t("nav.cluster"), load: () => import("./pages/cluster.js"), admin: true},
    users: {title: () => t("nav.users"), load: () => import("./pages/users.js")},
};

function pageOf(path) {
    const [first = "overview", second] = path;
    return first === "topics" && second !== undefined ? "topic"
        : first !== "topic" && Object.hasOwn(PAGES, first) ? first : undefined;
}

function App() {
    const [user, setUser] = useState({known: false});
    const [, redraw] = useState(0);
    const start = useCallback(() => {
        setUser({known: false});
        session().then(found => setUser({known: true, session: found}), error => setUser({known: false, error}));
    }, []);
    useEffect(start, []);
    useEffect(() => onSessionEnd(() => setUser(before => ({...before, ended: true}))), []);
    const shown = useRef();
    shown.current = user;
    useEffect(() => onSignInElsewhere(name => {
        const {known, session: before} = shown.current;
        if (before?.user === name) {
            session().then(found => found && setUser({known, session: found}), error => console.info(error.message));
        } else if (known) {
            forgetSession();
            setUser({known, elsewhere: name});
        }
    }), []);
    useEffect(() => onSetting(async name => {
        if (name === "language") {
            await speak(preferredLanguage());
            forgetFormats();
        }
        redraw(count => count + 1);
    }), []);
    if (!user.known) {
        return html`<main class="alone">${user.error ? html`<${ErrorNote} error=${user.error} retry=${start} />`
            : html`<p class="spin" role="status">${t("loading")}</p>`}</main>`;
    }
    if (user.elsewhere) {
        return html`<main class="alone"><div class="panel stack"><h1>Talos</h1>
            <p class="note warn" role="status">${t("signIn.elsewhere", {user: user.elsewhere})}</p>
            <button type="button" class="main" onClick=${start}>${t("signIn.continue", {user: user.elsewhere})}</button>
        </div></main>`;
    }
    const signedIn = found => setUser({known: true, session: found});
    // Of the same user the frame stays as it is, with all that was typed.
    return user.session
        ? html`<${Frame} key=${user.session.user} session=${user.session}
                onSignedOut=${() => setUser({known: true})} />
            ${user.ended && html`<${SignInAgain} onSignedIn=${signedIn} />`}`
        : html`<${SignIn} icon=${icon} onSignedIn=${signedIn} />`;
}

function Frame({session, onSignedOut}) {
    const {path} = useRoute();
    const [settings, setSettings] = useState(false);
    const main = useRef();
    useEffect(() => shortcuts(session.admin, () => setSettings(true)), []);
    useEffect(() => {
        document.addEventListener("input", keepInUse);
        return () => document.removeEventListener("input", keepInUse);
    }, []);
    const leave = async everywhere => {
        await signOut(everywhere);
        onSignedOut();
    };
    return html`<div class="frame" data-signed-in=${session.user}>
        <button type="button" class="skip" onClick=${() => main.current.focus()}>${t("skip")}</button>
        <header class="side">
            <a class="brand" href=${href(["overview"])}><img src=${icon} alt="" /><span>Talos</span></a>
            <${Navigation} admin=${session.admin} page=${pageOf(path)} />
            <${Account} session=${session} onSettings=${() => setSettings(true)} leave=${leave} />
        </header>
        <main id="main" tabindex="-1" ref=${main}><${Page} path=${path} session=${session} /></main>
        ${settings && html`<${SettingsDialog} leave=${leave} onClose=${() => setSettings(false)} />`}
        <${Toasts} />
    </div>`;
}

function Navigation({admin, page}) {
    const shown = Object.entries(PAGES).filter(([, each]) => each.title && (admin || !each.admin));
    const open = page === "topic" ? "topics" : page;
    return html`<nav aria-label=${t("nav.main")}><ul>${shown.map(([name, each]) => html`<li key=${name}>
        <a href=${href([name])} aria-current=${name === open ? "page"
            : undefined}>${each.title()}</a></li>`)}</ul></nav>`;
}

function Account({session, onSettings, leave}) {
    const [error, setError] = useState();
    return html`<div class="account">
        <${DocLinks} wideOnly />
        <span class="user break small" title=${session.user}>${session.user}
            ${session.admin && html` <span class="badge">${t("administrator")}</span>`}</span>
        <div class="row">
            <button type="button" class="plain" data-action="settings" onClick=${onSettings}>${t("settings")}</button>
            <button type="button" class="plain" data-action="sign-out"
                onClick=${() => leave(false).catch(setError)}>${t("signOut")}</button>
        </div>
        <${ErrorNote} error=${error} />
    </div>`;
}

/** The page of an address: its module is loaded, then its title is set and its heading gets the focus. */
function Page({path, session}) {
    const name = pageOf(path);
    const [loaded, setLoaded] = useState({});
    const place = path.slice(0, 2).join("/");
    const [failure, forget] = useErrorBoundary(error => console.error(error));
    useEffect(forget, [place]);
    useEffect(() => {
        let gone = false;
        if (name !== undefined) {
            PAGES[name].load().then(
                module => !gone && setLoaded({name, view: module.default}),
                failure => !gone && setLoaded({name, error: failure}));
        }
        return () => {
            gone = true;
        };
    }, [name]);
    const shown = loaded.name === name;
    useTitle(name && (PAGES[name].title?.() ?? path[1]), place, shown);
    if (name === undefined) {
        return html`<h1 tabindex="-1">${t("notFound")}</h1><p>${t("notFound.hint")}</p>`;
    }
    if (failure || loaded.error && shown) {
        return html`<h1 tabindex="-1">${PAGES[name].title?.() ?? path[1]}</h1>
            ${failure ? html`<${ErrorNote} error=${failure} retry=${forget} />` : html`<${NotLoaded} />`}`;
    }
    return shown ? html`<${loaded.view} key=${place} path=${path} session=${session} />`
        : html`<p class="spin" role="status">${t("loading")}</p>`;
}

function useTitle(title, place, shown) {
    const before = useRef();
    useEffect(() => {
        document.title = title ? `${title} – Talos` : "Talos";
    });
    useEffect(() => {
        if (shown && before.current !== undefined && before.current !== place) {
            document.querySelector("main h1")?.focus(); // who listens hears where they are; not on the first page
            scrollTo(0, 0);
        }
        if (shown) {
            before.current = place;
        }
    }, [place, shown]);
}

await speak(preferredLanguage());
render(html`<${App} />`, document.getElementById("app"));
