// SPDX-License-Identifier: Apache-2.0
/** Details of rows that are asked for when the row is seen, and again and again while it is; of no others. */
import {isAborted} from "../api.js";
import {NONE} from "../format.js";
import {html, useEffect, useMemo, useRef, useState} from "../lib.js";
import {limited} from "../queue.js";

const AT_ONCE = 4;
const REFRESH_MILLIS = 15_000;

/**
 * Rows whose details are loaded a few at once, for as long as the page is there.
 *
 * @param load takes a row's name, what was known of it before, and options of a request; answers a promise of what is
 *     known now
 * @return for {@link Watched}
 */
export function useWatched(load) {
    const rows = useMemo(() => watchedRows(load), []);
    useEffect(() => rows.close, []);
    return rows;
}

function watchedRows(load) {
    const rows = new Map(); // by name: what is known, and who watches
    const turn = limited(AT_ONCE);
    const controller = new AbortController();
    const ask = async (name, row, background) => {
        try {
            row.state = {data: await load(name, row.state.data, {signal: controller.signal, background})};
        } catch (error) {
            row.state = isAborted(error) ? row.state : {error};
        }
        row.listeners.forEach(listener => listener(row.state));
    };
    // Once at a time: while the session has ended, requests wait for its user.
    const queue = (name, row, background) => {
        if (!row.waits) {
            row.waits = true;
            turn(() => ask(name, row, background)).finally(() => {
                row.waits = false;
            });
        }
    };
    const refresh = () => {
        if (!document.hidden) {
            rows.forEach((row, name) => row.listeners.size > 0 && queue(name, row, true));
        }
    };
    const timer = setInterval(refresh, REFRESH_MILLIS);
    return {
        watch(name, listener) {
            const known = rows.has(name);
            const row = rows.get(name) ?? {state: {}, listeners: new Set()};
            rows.set(name, row);
            row.listeners.add(listener);
            listener(row.state);
            if (!known) {
                queue(name, row, false);
            }
            return () => row.listeners.delete(listener);
        },
        close() {
            clearInterval(timer);
            controller.abort();
        },
    };
}

/** What is drawn of a row's details: draw gets them. */
export function Watched({name, rows, draw}) {
    const [state, setState] = useState({});
    const element = useRef();
    useEffect(() => {
        let leave;
        const seen = new IntersectionObserver(([entry]) => {
            leave?.();
            leave = entry.isIntersecting ? rows.watch(name, setState) : undefined;
        });
        seen.observe(element.current);
        return () => {
            leave?.();
            seen.disconnect();
        };
    }, [name, rows]);
    return html`<span ref=${element} title=${state.error?.message}>${state.data ? draw(state.data) : state.error ? NONE
        : "…"}</span>`;
}
