// SPDX-License-Identifier: Apache-2.0
/**
 * The live tail: a WebSocket of the subprotocol talos.v1.json. The server sends only what it was granted, and is
 * granted more when what it has sent has been shown: who pauses, or hides the tab, costs the server nothing.
 */
import {ApiError, at, checkSession, get, socketUrl} from "./api.js";

const WINDOW_BYTES = 1024 * 1024;
const DRAW_MILLIS = 100;
const LONGEST_RETRY_MILLIS = 30_000;
const NORMAL_CLOSURE = 1000;
const OUT_OF_RANGE = 416;

/**
 * Follows the end of partitions, until close() is called.
 *
 * @param partitions numbers, or undefined for all
 * @param onMessages gets lists of messages, a few times a second, each with the size of its bytes
 * @param onState gets connecting, open, or waiting with the milliseconds until the next attempt
 * @param onProblem gets the partition and the problem of a subscription that has ended
 * @return pause(), resume() and close()
 */
export function follow(topic, partitions, onMessages, onState, onProblem) {
    const next = new Map(); // by partition: where to continue
    let socket;
    let buffer = [];
    let granted = 0; // bytes that were shown, and are to be granted again
    let paused = false;
    let closed = false;
    let failures = 0;
    let timer;

    const send = message => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
    const subscribe = partition => send({type: "subscribe", partition, from: next.get(partition) ?? "latest"});

    function connect() {
        onState("connecting");
        socket = new WebSocket(socketUrl(at`topics/${topic}/stream`, {window: WINDOW_BYTES}), "talos.v1.json");
        socket.onmessage = event => receive(event.data);
        socket.onclose = () => !closed && again();
    }

    const handlers = {
        opened(message) {
            const mine = socket;
            const all = partitions ?? Array.from({length: message.partitions}, (each, index) => index);
            learnEnds(all).then(() => {
                if (mine === socket && !closed) {
                    failures = 0;
                    all.forEach(subscribe);
                    onState("open");
                }
            });
        },
        message(message, text) {
            next.set(message.partition, message.offset + 1);
            buffer.push({message, bytes: utf8Length(text)});
        },
        ended({partition, problem}) {
            onProblem(partition, problem);
            if (problem.skip !== undefined) {
                next.set(partition, problem.skip);
                subscribe(partition);
            } else if (problem.status === OUT_OF_RANGE) {
                next.set(partition, "earliest"); // retention has passed what was to come next
                subscribe(partition);
            } else if (problem.retryable) {
                const mine = socket; // another has subscribed by itself
                setTimeout(() => mine === socket && subscribe(partition), 2000);
            }
        },
        move({milliseconds}) {
            const left = socket;
            left.onclose = null;
            setTimeout(() => {
                left.close(NORMAL_CLOSURE);
                if (!closed) {
                    connect();
                }
            }, milliseconds);
        },
    };

    /** Where partitions end of which nothing has come yet: what is put until they are subscribed is not left out. */
    async function learnEnds(all) {
        if (all.every(each => next.has(each))) {
            return;
        }
        try {
            const {partitions: bounds} = await get(at`topics/${topic}/offsets`, {}, {background: true});
            bounds.filter(each => each.end !== undefined && !next.has(each.partition))
                .forEach(each => next.set(each.partition, each.end));
        } catch (error) {
            console.info(`The tail begins wherever the server finds its end: ${error.message}`);
        }
    }

    function receive(text) {
        const message = JSON.parse(text);
        handlers[message.type]?.(message, text); // what is not of a tail, as credit for puts, is skipped
    }

    function again() {
        const wait = Math.random() * Math.min(LONGEST_RETRY_MILLIS, 2000 * 2 ** failures++);
        onState("waiting", wait);
        timer = setTimeout(connect, wait);
        // A socket that is refused does not say why: a request does, and ends the session here if it has ended there.
        checkSession().catch(error => {
            if (!(error instanceof ApiError)) {
                console.info(`The session is not checked: ${error.message}`);
            }
        });
    }

    function drain() {
        if (paused || document.hidden || buffer.length === 0) {
            return;
        }
        const taken = buffer;
        buffer = [];
        granted += taken.reduce((sum, each) => sum + each.bytes, 0);
        onMessages(taken.map(each => each.message));
        if (granted > 0) {
            send({type: "credit", bytes: granted});
            granted = 0;
        }
    }

    const drawing = setInterval(drain, DRAW_MILLIS);
    connect();
    return {
        pause() {
            paused = true;
        },
        resume() {
            paused = false;
            drain();
        },
        close() {
            closed = true;
            clearInterval(drawing);
            clearTimeout(timer);
            socket.onclose = null;
            socket.close(NORMAL_CLOSURE);
        },
    };
}

/** The bytes of a text in UTF-8. */
export function utf8Length(text) {
    let bytes = text.length;
    for (let at = 0; at < text.length; at++) {
        const code = text.charCodeAt(at);
        if (code > 0x7f) {
            bytes += code > 0x7ff ? 2 : 1;
            if (code >= 0xd800 && code <= 0xdbff) {
                at++; // two characters of a pair are four bytes together
            }
        }
    }
    return bytes;
}
