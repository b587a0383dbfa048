// SPDX-License-Identifier: Apache-2.0
/** Asks the server again and again while the page is looked at, and not at all while its tab is hidden. */
import {isAborted} from "./api.js";
import {useCallback, useEffect, useRef, useState} from "./lib.js";

const LONGEST_MILLIS = 60_000;

/**
 * What a request gives, asked again at intervals. After a failure the intervals double, up to a minute, and the
 * earlier data stays.
 *
 * @param load takes options of a request, and answers a promise
 * @param every milliseconds between an answer and the next request; 0 asks once
 * @param inputs what the request depends on: if one changes, the previous data is dropped and a request is sent at once
 * @return data (undefined before the first answer), error (undefined if the last one was none), loading, and refresh()
 */
export function usePoll(load, every, inputs) {
    const [state, setState] = useState({loading: true});
    const latest = useRef(load);
    latest.current = load;
    const again = useRef(() => undefined);
    useEffect(() => {
        setState({loading: true});
        const poll = poller(options => latest.current(options), every, setState);
        again.current = poll.now;
        return poll.stop;
    }, [...inputs, every]);
    const refresh = useCallback(() => again.current(), []);
    return {...state, refresh};
}

function poller(load, every, set) {
    let timer;
    let controller;
    let failures = 0;
    let asked = false;
    const next = () => {
        clearTimeout(timer);
        if (every > 0 && !document.hidden) {
            timer = setTimeout(() => now(true), Math.min(every * 2 ** failures, Math.max(every, LONGEST_MILLIS)));
        }
    };
    async function now(background = false) {
        clearTimeout(timer);
        controller?.abort();
        const mine = controller = new AbortController();
        asked = true;
        try {
            const data = await load({signal: mine.signal, background});
            if (!mine.signal.aborted) {
                failures = 0;
                set({data, loading: false});
                next();
            }
        } catch (error) {
            if (!mine.signal.aborted && !isAborted(error)) {
                failures++;
                set(before => ({...before, error, loading: false}));
                next();
            }
        }
    }
    const shown = () => {
        if (document.hidden) {
            clearTimeout(timer);
        } else if (every > 0 || !asked) {
            now(true);
        }
    };
    document.addEventListener("visibilitychange", shown);
    now();
    return {
        now,
        stop() {
            clearTimeout(timer);
            controller?.abort();
            document.removeEventListener("visibilitychange", shown);
        },
    };
}

/** Something that is done by a button: run(…) does it, busy while it lasts, error if it has failed. */
export function useAction(act) {
    const [state, setState] = useState({busy: false});
    const alive = useRef(true);
    useEffect(() => () => {
        alive.current = false;
    }, []);
    const run = async (...values) => {
        setState({busy: true});
        try {
            const result = await act(...values);
            if (alive.current) {
                setState({busy: false});
            }
            return result;
        } catch (error) {
            if (alive.current) {
                setState({busy: false, error: isAborted(error) ? undefined : error});
            }
            return undefined;
        }
    };
    return {...state, run, forget: () => setState({busy: false})};
}
