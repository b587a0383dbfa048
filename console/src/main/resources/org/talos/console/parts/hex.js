// SPDX-License-Identifier: Apache-2.0
/** Bytes as hexadecimal numbers and as characters, sixteen on a line; only the lines that are seen are drawn. */
import {t} from "../i18n.js";
import {html} from "../lib.js";
import {useWindow} from "./table.js";

const WIDTH = 16;
const LINE_PIXELS = 20; // of .hex .line
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** @param bytes a Uint8Array */
export function HexView({bytes}) {
    const lines = Math.ceil(bytes.length / WIDTH);
    const [part, region] = useWindow(lines, true, LINE_PIXELS);
    const seen = Array.from({length: Math.max(0, part.end - part.begin)}, (each, index) => part.begin + index);
    return html`<div class="hex mono" role="group" tabindex="0" aria-label=${t("message.hex")} ref=${region}>
        <div style=${{height: `${part.begin * LINE_PIXELS}px`}}></div>
        ${seen.map(line => html`<div class="line" key=${line}>${hexLine(bytes, line * WIDTH)}</div>`)}
        <div style=${{height: `${Math.max(0, lines - part.end) * LINE_PIXELS}px`}}></div>
    </div>`;
}

/** One line, as hexdump has it. */
export function hexLine(bytes, begin) {
    const some = Array.from(bytes.subarray(begin, begin + WIDTH));
    const numbers = some.map(each => each.toString(16).padStart(2, "0"));
    const halves = `${numbers.slice(0, WIDTH / 2).join(" ")}  ${numbers.slice(WIDTH / 2).join(" ")}`;
    const characters = some.map(each => each >= FIRST_PRINTABLE && each <= LAST_PRINTABLE ? String.fromCharCode(each)
        : ".").join("");
    return `${begin.toString(16).padStart(8, "0")}  ${halves.padEnd(3 * WIDTH)}  ${characters}`;
}
