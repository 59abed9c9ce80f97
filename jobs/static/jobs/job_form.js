/* The job form: shows the chosen kind's fields and keeps the preview level with what is typed.
   Without it all fields are shown, and the server still refuses what does not fit. */
"use strict";
document.addEventListener("DOMContentLoaded", () => {
    const preview = document.getElementById("schedule-preview");
    if (!preview) {
        return;
    }
    const kind = document.getElementById("id_kind");
    document.body.classList.add("jobs-scripted");
    const groups = document.querySelectorAll("fieldset.kind-fields");

    /* A disabled fieldset is not sent: text of a kind tried and left is kept on the page, but not saved.
       One in which the server found fault stays in sight. */
    function showKind() {
        const chosen = "kind-" + (kind ? kind.value : preview.dataset.kind);
        for (const group of groups) {
            const isShown = group.classList.contains(chosen) || group.querySelector(".errorlist") !== null;
            group.hidden = !isShown;
            group.disabled = !isShown;
        }
    }

    showKind();
    if (!kind) {
        return;
    }

    const form = kind.form;
    const scheduleFields = [...groups].flatMap((group) => [...group.elements]);
    scheduleFields.push(...["kind", "timezone", "start_at", "end_at"].map((name) => form.elements[name]));
    let timer = 0;
    let request = null;

    async function refresh() {
        if (request) {
            request.abort();
        }
        if (!kind.value) {
            preview.textContent = "Choose a kind of schedule.";
            return;
        }
        request = new AbortController();
        preview.classList.add("jobs-waiting");
        try {
            const response = await fetch(preview.dataset.url, {
                method: "POST",
                body: new URLSearchParams(new FormData(form)),
                signal: request.signal,
            });
            if (!response.ok) {
                throw new Error("status " + response.status);
            }
            preview.innerHTML = await response.text(); // escaped by the server's template
        } catch (error) {
            if (error.name === "AbortError") {
                return;
            }
            preview.textContent = "The preview cannot be had now (" + error.message + ").";
        }
        preview.classList.remove("jobs-waiting");
    }

    function later() {
        window.clearTimeout(timer);
        timer = window.setTimeout(refresh, 250);
    }

    kind.addEventListener("change", showKind);
    for (const field of scheduleFields) {
        field.addEventListener("input", later);
        field.addEventListener("change", later);
    }
    refresh();
});
