// SPDX-License-Identifier: Apache-2.0
/**
 * Requests to the server's REST, by the session's cookie. Everything that the console does goes this way: it can do
 * what the user can do over REST, and nothing else.
 */
const ROOT = new URL("../v1/", document.baseURI);
const TIMEOUT_MILLIS = 60_000;
const USE_MILLIS = 5_000; // less than any session lasts without use
const NO_CONTENT = 204;
const SESSION = "session";
const ended = new Set();
const elsewhere = new Set();

/** The other tabs of the browser, which has one session for all of them. */
const tabs = new BroadcastChannel("talos.session");
tabs.onmessage = ({data}) => elsewhere.forEach(listener => listener(data));

/** The session's token against forged requests; in memory alone, as who reloads the page asks for it again. */
let csrf = "";

/** The user of the last session. */
let user;

/** The pause of requests after a session has ended, with its resume and refuse; undefined while there is a session. */
let pause;

/** When the last request was sent that somebody has asked for. */
let used = -Infinity;

/** A request that failed: the problem that the server answered, or why there was no answer. */
export class ApiError extends Error {
    /**
     * @param problem the members of RFC 9457 and ours: status, title, detail, code, outcome, retryable, requestId
     * @param retryAfter whole seconds after which the server takes the request, or undefined
     */
    constructor(problem, retryAfter) {
        super(problem.detail ?? problem.title ?? problem.code);
        this.name = "ApiError";
        this.problem = problem;
        this.retryAfter = retryAfter;
    }

    get status() {
        return this.problem.status;
    }

    get code() {
        return this.problem.code;
    }
}

/** A path below /v1/ with each value encoded: at`topics/${topic}/offsets`. */
export function at(strings, ...values) {
    return strings.reduce((path, text, index) => path + encodeURIComponent(values[index - 1]) + text);
}

/** The full address of a path and a query; values that are undefined or empty are left out. */
export function url(path, query = {}) {
    const address = new URL(path, ROOT);
    for (const [name, value] of Object.entries(query)) {
        for (const each of Array.isArray(value) ? value : [value]) {
            if (each !== undefined && each !== null && each !== "") {
                address.searchParams.append(name, each);
            }
        }
    }
    return address;
}

/** Calls the listener when the server has refused the session; the answer ends that. Requests wait from then on. */
export function onSessionEnd(listener) {
    ended.add(listener);
    return () => ended.delete(listener);
}

/**
 * Sends a request and returns the answer, whose body is still to be read. If the session has ended, the request waits
 * until its user has signed in again, and is sent then: a request without a session has done nothing.
 *
 * @param options method, query, headers, json (any value to send) or body, signal, timeout in milliseconds, 0 for none,
 *     reads if it changes nothing, as every GET, and background if nobody has asked for it but a clock: it does not
 *     keep the session from its end
 * @throws ApiError the server has refused, or cannot be reached
 */
export async function request(path, options = {}) {
    for (;;) {
        if (path !== SESSION) {
            await pause?.over;
        }
        const token = csrf;
        try {
            return await sent(path, options);
        } catch (error) {
            if (error.status === 401 && token === csrf) {
                tellEnd();
            }
            if (error.status !== 401 || path === SESSION || token === csrf) {
                throw error;
            }
        }
    }
}

async function sent(path,
    {method = "GET", query, headers = {}, json, body, signal, background, timeout = TIMEOUT_MILLIS,
        reads = method === "GET"} = {}) {
    const init = {method, body, headers: {...headers}, credentials: "same-origin", cache: "no-store",
        redirect: "error"};
    if (json !== undefined) {
        init.body = JSON.stringify(json);
        init.headers["Content-Type"] = "application/json";
    }
    if (background) {
        init.headers["Talos-Background"] = "true";
    } else {
        used = performance.now();
    }
    if (method !== "GET" && csrf !== "") {
        init.headers["Talos-Csrf"] = csrf;
    }
    const limits = [signal, timeout > 0 ? AbortSignal.timeout(timeout) : undefined].filter(each => each);
    init.signal = limits.length > 0 ? AbortSignal.any(limits) : undefined;
    const response = await reached(url(path, query), init, signal, reads);
    if (!response.ok) {
        throw await refused(response, reads);
    }
    return response;
}

async function reached(address, init, signal, reads) {
    try {
        return await fetch(address, init);
    } catch (failure) {
        if (signal?.aborted) {
            throw failure; // the page has left: nobody is to be notified
        }
        const code = failure.name === "TimeoutError" ? "timeout" : "unreachable";
        const problem = {status: 0, code, detail: failure.message, outcome: "unknown"};
        throw reads ? readError(problem) : new ApiError(problem);
    }
}

async function refused(response, reads) {
    let problem = {status: response.status, title: response.statusText, code: `http-${response.status}`};
    if ((response.headers.get("Content-Type") ?? "").includes("json")) {
        problem = {...problem, ...await response.json()};
    }
    const seconds = Number(response.headers.get("Retry-After"));
    const after = seconds > 0 ? seconds : undefined;
    return reads ? readError(problem, after) : new ApiError(problem, after);
}

/** The failure of a read, of which nobody has to know whether it has happened. */
export function readError(problem, retryAfter) {
    return new ApiError({...problem, outcome: undefined}, retryAfter);
}

function tellEnd() {
    if (csrf !== "") {
        csrf = "";
        const over = new Promise((resume, refuse) => {
            pause = {resume, refuse};
        });
        over.catch(() => undefined); // no request may be waiting
        pause.over = over;
        ended.forEach(listener => listener());
    }
}

/** Sends what waits for a session, if its user is back; refuses it otherwise. */
function endPause(isSameUser) {
    const before = pause;
    pause = undefined;
    if (isSameUser) {
        before?.resume();
    } else {
        before?.refuse(new ApiError({status: 401, code: "invalid-auth", outcome: "did-not-happen"}));
    }
}

/** The answer's JSON. */
export async function get(path, query, options = {}) {
    return (await request(path, {...options, query})).json();
}

/** Sends JSON, or nothing, and returns the answer's JSON, or undefined of one that has none. */
export async function send(method, path, json, options = {}) {
    const response = await request(path, {...options, method, json});
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
}

/** Signs in; the browser keeps the cookie, which no script can read. */
export async function signIn(accessKey, secretKey) {
    csrf = "";
    const session = remember(await send("POST", SESSION, {accessKey, secretKey}));
    tabs.postMessage(session.user);
    return session;
}

/** Calls the listener with the user who has signed in in another tab: what this tab sends would be that user's. */
export function onSignInElsewhere(listener) {
    elsewhere.add(listener);
    return () => elsewhere.delete(listener);
}

/** Sends nothing further for the user of this tab. */
export function forgetSession() {
    csrf = "";
    user = undefined;
    endPause(false);
}

/** Who is signed in, or undefined if nobody is. */
export async function session() {
    try {
        const response = await request(SESSION);
        return response.status === NO_CONTENT ? undefined : remember(await response.json());
    } catch (error) {
        if (error.status === 401) {
            return undefined; // a cookie of a key that is gone, or of another server of this host: it is forgotten now
        }
        throw error;
    }
}

/** Looks whether the session continues, where what was refused does not say so; if not, the listeners are notified. */
export async function checkSession(background = true) {
    if ((await request(SESSION, {background})).status === NO_CONTENT) {
        tellEnd();
    }
}

/** Keeps the session from its end while somebody types, which sends nothing by itself. */
export function keepInUse() {
    if (csrf !== "" && performance.now() - used > USE_MILLIS) {
        checkSession(false).catch(failure => console.info(`The session is not kept: ${failure.message}`));
    }
}

function remember(session) {
    const isSameUser = session.user === user;
    csrf = session.csrf ?? "";
    user = session.user;
    endPause(isSameUser);
    return session;
}

/** Ends this session, or all of the user's on all servers. */
export async function signOut(everywhere) {
    try {
        await request(SESSION, {method: "DELETE", query: everywhere ? {everywhere: true} : {}});
    } catch (error) {
        if (error.status !== 401 || everywhere) { // the session has ended already
            throw error;
        }
    }
    forgetSession();
}

/** The address of a WebSocket of a path. */
export function socketUrl(path, query) {
    const address = url(path, query);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    return address.href;
}

/** Whether a failure is only that the page has left. */
export function isAborted(failure) {
    return failure?.name === "AbortError";
}
