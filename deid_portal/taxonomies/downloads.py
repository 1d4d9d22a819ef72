from django.http import HttpResponse


def as_download(content: bytes, kind: str, name: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="taxonomy-{name}"'
    return response
