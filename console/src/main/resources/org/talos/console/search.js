// SPDX-License-Identifier: Apache-2.0
/** Searches, which run at the server: messages come as they are found, and it ends when the page leaves. */
import {at, isAborted, readError, request} from "./api.js";
import {jsonLines} from "./lines.js";
import {useEffect, useRef, useState} from "./lib.js";

const DRAW_MILLIS = 120;

/**
 * The lines of a search: {message}, {progress} or {end}.
 *
 * @param query the parameters of REST's search; what is empty is left out
 * @throws ApiError it was refused, or has failed on the way
 */
export async function* search(topic, query, signal) {
    const response = await request(at`topics/${topic}/search`, {query, signal, timeout: 0});
    for await (const line of jsonLines(response)) {
        if (line.problem) {
            throw readError(line.problem);
        }
        yield line.progress || line.end ? line : {message: line};
    }
}

/**
 * A search that begins with the page and again when its inputs change.
 *
 * @param plan takes a signal, and answers a promise of the search's query, and of next: where a page behind it begins
 * @return messages, progress and end as far as they have come, error, running, next, and stop()
 */
export function useSearch(topic, plan, inputs) {
    const [state, setState] = useState({messages: [], running: true});
    const stop = useRef(() => undefined);
    useEffect(() => {
        const controller = new AbortController();
        const found = {messages: [], running: true};
        const draw = () => setState({...found, messages: [...found.messages]});
        const timer = setInterval(() => found.running && draw(), DRAW_MILLIS);
        let gone = false; // another search is drawn now
        setState({messages: [], running: true});
        stop.current = () => controller.abort();
        run(topic, plan, controller.signal, found).finally(() => {
            clearInterval(timer);
            found.running = false;
            if (!gone) {
                draw();
            }
        });
        return () => {
            gone = true;
            clearInterval(timer);
            controller.abort();
        };
    }, [topic, ...inputs]);
    return {...state, stop: () => stop.current()};
}

async function run(topic, plan, signal, found) {
    try {
        const {query, next} = await plan(signal);
        for await (const line of search(topic, query, signal)) {
            if (line.message) {
                found.messages.push(line.message);
            } else {
                found.progress = line.progress ?? found.progress;
                found.end = line.end;
            }
        }
        found.next = found.end?.next ?? next;
    } catch (error) {
        if (isAborted(error)) {
            found.stopped = true;
        } else {
            found.error = error;
        }
    }
}
