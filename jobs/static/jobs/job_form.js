/* The job form: shows the fields of the chosen target and kind, and keeps the preview level with what is typed.
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
    const target = document.getElementById("id_target_kind");
    const targets = document.querySelectorAll("fieldset.target-fields");

    /* A disabled fieldset is not sent: text of a kind tried and left is kept on the page, but not saved.
       One in which the server found fault stays in sight. */
    function showOne(fieldsets, chosen) {
        for (const fieldset of fieldsets) {
            const isShown = fieldset.classList.contains(chosen) || fieldset.querySelector(".errorlist") !== null;
            fieldset.hidden = !isShown;
            fieldset.disabled = !isShown;
        }
    }

    function showKind() {
        showOne(groups, "kind-" + (kind ? kind.value : preview.dataset.kind));
    }

    function showTarget() {
        showOne(targets, "target-" + target.value);
    }

    if (target) {
        showTarget();
        target.addEventListener("change", showTarget);
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

/* Select2 names its boxes by what is chosen alone: nothing chosen, no name. Django has it draw them by jQuery's ready,
   which calls in order of asking; at this event Django's script has asked already. */
document.addEventListener("DOMContentLoaded", () => {
    window.django.jQuery(() => {
        for (const box of document.querySelectorAll(".select2-selection")) {
            const select = box.closest(".select2-container").previousElementSibling;
            const [label] = select.labels;
            const chosen = box.querySelector(".select2-selection__rendered");
            label.id = select.id + "_label";
            box.setAttribute("aria-labelledby", label.id + " " + chosen.id);
            chosen.setAttribute("aria-labelledby", label.id);
        }
    });
});
